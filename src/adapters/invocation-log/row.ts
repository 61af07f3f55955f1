import { z } from 'zod';
import { INVOCATION_OUTCOMES, INVOCATION_TRIGGERS, type Invocation } from '../../ports/invocation-log.ts';

/** The columns of a record, in the order in which they are written. */
export const COLUMNS = [
  'id',
  'namespace',
  'function',
  'trigger',
  'trigger_name',
  'started_at',
  'duration_ms',
  'outcome',
  'status',
  'reason',
  'bytes_in',
  'bytes_out',
  'attempt',
  'request_id',
  'trace_id',
] as const;

/** The values of a record in that order; `started_at` in whole milliseconds since 1970. */
export function valuesOf(of: Invocation): readonly (string | number | null)[] {
  const { id, namespace, trigger, triggerName, startedAt, durationMs, outcome, status, reason } = of;
  const { bytesIn, bytesOut, attempt, requestId, traceId } = of;
  const where = [id, namespace, of.function, trigger, triggerName ?? null];
  const how = [Math.floor(startedAt), durationMs, outcome, status ?? null, reason ?? null];
  return [...where, ...how, bytesIn, bytesOut, attempt, requestId ?? null, traceId ?? null];
}

const optionalText = z.string().nullable();
const rowSchema = z.object({
  id: z.string(),
  namespace: z.string(),
  function: z.string(),
  trigger: z.enum(INVOCATION_TRIGGERS),
  trigger_name: optionalText,
  started_at: z.coerce.number(),
  duration_ms: z.coerce.number(),
  outcome: z.enum(INVOCATION_OUTCOMES),
  status: z.coerce.number().nullable(),
  reason: optionalText,
  bytes_in: z.coerce.number(),
  bytes_out: z.coerce.number(),
  attempt: z.coerce.number(),
  request_id: optionalText,
  trace_id: optionalText,
});

/** A record as a database gives it back: `started_at` in milliseconds, big numbers maybe as text. */
export function invocationOf(row: unknown): Invocation {
  const of = rowSchema.parse(row);
  return {
    id: of.id,
    namespace: of.namespace,
    function: of.function,
    trigger: of.trigger,
    ...(of.trigger_name === null ? {} : { triggerName: of.trigger_name }),
    startedAt: of.started_at,
    durationMs: of.duration_ms,
    outcome: of.outcome,
    ...(of.status === null ? {} : { status: of.status }),
    ...(of.reason === null ? {} : { reason: of.reason }),
    bytesIn: of.bytes_in,
    bytesOut: of.bytes_out,
    attempt: of.attempt,
    ...(of.request_id === null ? {} : { requestId: of.request_id }),
    ...(of.trace_id === null ? {} : { traceId: of.trace_id }),
  };
}
