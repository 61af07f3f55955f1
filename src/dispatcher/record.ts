import type { Invocation } from '../ports/invocation-log.ts';
import type { InvocationResult } from '../ports/invoker.ts';
import type { Delivery } from '../ports/message-bus.ts';
import { traceIdOf } from '../ports/trace-context.ts';
import type { Consumer } from '../resources/trigger/consumer.ts';
import type { Verdict } from './verdict.ts';

/** One call for a message that is over. */
export interface Called {
  readonly id: string;
  readonly consumer: Consumer;
  readonly delivery: Delivery;
  readonly requestId: string;
  readonly traceparent: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly verdict: Verdict;
  readonly answer: InvocationResult | undefined;
}

/** The record of a try; `undefined` for a call that was none, since its function did not begin with it. */
export function recordOf(called: Called): Invocation | undefined {
  const { verdict, answer, consumer, delivery, startedAt } = called;
  if (verdict.kind === 'busy' || verdict.kind === 'unreachable') return undefined;
  return {
    id: called.id,
    namespace: consumer.namespace,
    function: consumer.function,
    trigger: 'event',
    triggerName: consumer.trigger,
    startedAt,
    durationMs: Math.max(0, called.endedAt - startedAt),
    ...(answer === undefined ? {} : { status: answer.status }),
    ...outcomeOf(verdict, answer),
    bytesIn: delivery.body.length,
    bytesOut: answer?.body.length ?? 0,
    attempt: delivery.attempts + 1,
    requestId: called.requestId,
    traceId: traceIdOf(called.traceparent),
  };
}

function outcomeOf(
  verdict: Verdict,
  answer: InvocationResult | undefined,
): Pick<Invocation, 'outcome' | 'reason'> {
  if (answer === undefined)
    return 'reason' in verdict ? { outcome: 'failed', reason: verdict.reason.code } : { outcome: 'failed' };
  return { outcome: answer.status >= 400 ? 'error' : 'ok' };
}
