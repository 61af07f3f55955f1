import { ERRORS } from '../../errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Invocation } from '../../ports/invocation-log.ts';
import { traceIdOf } from '../../ports/trace-context.ts';
import type { CallSpan } from '../../ports/tracer.ts';
import type { Admitted } from './admitted.ts';
import type { Refusal } from './refusal.ts';
import type { Route } from './routes/route.ts';
import type { CallReport } from './stats.ts';

/** Takes a record of each call that is over, without waiting. */
export interface CallLog {
  record(call: Invocation): void;
  /** The time of day, for the records alone. */
  readonly clock: Clock;
  /** A UUID. */
  readonly newId: () => string;
}

type Called = Pick<Admitted, 'route' | 'requestId' | 'traceparent'>;

/** A call that was let in. Written out: this is done for every one. */
export function recordCall(
  log: CallLog,
  { route, requestId, traceparent }: Called,
  report: CallReport,
): void {
  const { status, reason, milliseconds, bytesIn, bytesOut } = report;
  const record: Writable<Invocation> = {
    id: log.newId(),
    namespace: route.namespace,
    function: route.name,
    trigger: 'http',
    startedAt: log.clock.now() - milliseconds,
    durationMs: milliseconds,
    // Without a status the caller left before there was one.
    outcome: reason !== undefined || status === 0 ? 'failed' : status >= 400 ? 'error' : 'ok',
    bytesIn,
    bytesOut,
    attempt: 1,
    requestId,
    traceId: traceIdOf(traceparent),
  };
  if (status !== 0) record.status = status;
  if (reason !== undefined) record.reason = reason;
  log.record(record);
}

/** The same for a collector of traces. */
export function endSpan(span: CallSpan, { status, reason }: CallReport): void {
  span.end({ ...(status === 0 ? {} : { status }), ...(reason === undefined ? {} : { reason }) });
}

/** A call of a function that was not let in. */
export function recordRefused(
  log: CallLog,
  {
    route,
    requestId,
    traceparent,
  }: { readonly route: Route; requestId: string; traceparent: string | undefined },
  { code }: Refusal,
): void {
  log.record({
    id: log.newId(),
    namespace: route.namespace,
    function: route.name,
    trigger: 'http',
    startedAt: log.clock.now(),
    durationMs: 0,
    outcome: 'failed',
    status: ERRORS[code].http,
    reason: code,
    bytesIn: 0,
    bytesOut: 0,
    attempt: 1,
    requestId,
    ...(traceparent === undefined ? {} : { traceId: traceIdOf(traceparent) }),
  });
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
