import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../ports/clock.ts';
import type { Invocation } from '../ports/invocation-log.ts';
import type { InvocationResult, Invoker } from '../ports/invoker.ts';
import type { Delivery } from '../ports/message-bus.ts';
import type { CallSpan, SpanStart, Tracer } from '../ports/tracer.ts';
import type { Consumer } from '../resources/trigger/consumer.ts';
import { callOf, traceOf } from './call.ts';
import { type DelaySettings, delayAfter } from './delay.ts';
import { recordOf } from './record.ts';
import { type Reason, type Verdict, verdictOfAnswer, verdictOfError } from './verdict.ts';

/** What an attempt needs. */
export interface AttemptDeps {
  readonly consumer: Consumer;
  readonly invoker: Invoker;
  readonly clock: Clock;
  readonly random: () => number;
  readonly newId: () => string;
  /** Told of every try. */
  readonly record?: ((call: Invocation) => void) | undefined;
  readonly tracer?: Pick<Tracer, 'begin'> | undefined;
  readonly delays: DelaySettings;
  /** Told of a message that cannot be put away, each time, and with `undefined` once it is away or no more ours to put. */
  readonly stuck: (delivery: Delivery, problem: unknown) => void;
  /** Ends calls, and the wait of what is stuck. */
  readonly signal: AbortSignal;
}

/** What became of a message. `untried`: it is in hand as before, since its function did not take it. */
export type Outcome = 'done' | 'retried' | 'deadLettered' | 'parked' | 'untried' | 'lost';

/**
 * A message that was a dead letter so often goes no further: Triggers that name each other's queues would hand it round for ever. More often
 * than anybody moves one back by hand, and few enough that a circle ends within moments.
 */
export const MAX_DEAD_LETTERINGS = 10;

/** A queue that does not take a message may be there a little later. */
const PUT_AGAIN_MS = 5000;

/** One try of one message: calls the function, and ends the message by what came of it. */
export async function attempt(delivery: Delivery, deps: AttemptDeps): Promise<Outcome> {
  const { problem } = delivery;
  if (problem !== undefined)
    return bury(delivery, { code: 'MessageUnreadable', detail: problem.message }, deps);
  const verdict = await callFunction(delivery, deps);
  if (delivery.lost) return 'lost';
  if (deps.signal.aborted && verdict.kind !== 'done') {
    // Cut off by our own end: it goes back, and whoever takes it next finds out how the function takes it.
    delivery.release();
    return 'lost';
  }
  switch (verdict.kind) {
    case 'done':
      delivery.ack();
      return 'done';
    case 'busy':
    case 'unreachable':
      return 'untried';
    case 'refused':
      return bury(delivery, verdict.reason, deps);
    case 'again':
      return again(delivery, verdict.reason, deps);
  }
}

async function callFunction(delivery: Delivery, deps: AttemptDeps): Promise<Verdict> {
  const { consumer, clock, newId, signal } = deps;
  const [startedAt, requestId] = [clock.now(), newId()];
  const sent = traceOf(delivery);
  const span = deps.tracer?.begin(spanOf(consumer, sent.traceparent));
  const trace = span === undefined ? sent : { ...sent, traceparent: span.traceparent };
  const tell = (verdict: Verdict, answer?: InvocationResult): Verdict => {
    const { traceparent } = trace;
    const called = {
      delivery,
      consumer,
      requestId,
      traceparent,
      startedAt,
      endedAt: clock.now(),
      verdict,
      answer,
    };
    const record = recordOf({ ...called, id: newId() });
    // What our own end cuts off is tried again by whoever takes it next.
    if (record !== undefined && !signal.aborted) deps.record?.(record);
    endSpan(span, verdict, answer);
    return verdict;
  };
  try {
    const answer = await deps.invoker.invoke(callOf(delivery, consumer, { requestId, trace, signal }));
    return tell(verdictOfAnswer(answer), answer);
  } catch (error) {
    return tell(verdictOfError(error));
  }
}

/** Named as OpenTelemetry's conventions for messages have it. */
function spanOf({ namespace, function: name, queue, trigger }: Consumer, parent: string): SpanStart {
  const attributes = {
    'messaging.operation.name': 'process',
    'messaging.destination.name': queue,
    'sless.namespace': namespace,
    'sless.function': name,
    'sless.trigger': trigger,
  };
  return { name: 'process', kind: 'consumer', parent, attributes };
}

function endSpan(span: CallSpan | undefined, verdict: Verdict, answer: InvocationResult | undefined): void {
  const reason = 'reason' in verdict ? verdict.reason.code : undefined;
  span?.end({
    ...(answer === undefined ? {} : { status: answer.status }),
    ...(reason === undefined ? {} : { reason }),
  });
}

async function again(delivery: Delivery, reason: Reason, deps: AttemptDeps): Promise<Outcome> {
  const tries = delivery.attempts + 1;
  if (tries >= deps.consumer.maxAttempts) return bury(delivery, reason, deps);
  const delay = delayAfter(tries, deps.random(), deps.delays);
  await put(delivery, () => delivery.retry(delay), deps);
  return delivery.lost ? 'lost' : 'retried';
}

async function bury(delivery: Delivery, last: Reason, deps: AttemptDeps): Promise<Outcome> {
  const isCircling = delivery.deadLetterings >= MAX_DEAD_LETTERINGS;
  const headers = headersOf(delivery, isCircling ? circling(delivery, last) : last, deps);
  await put(delivery, () => (isCircling ? delivery.park(headers) : delivery.deadLetter(headers)), deps);
  if (delivery.lost) return 'lost';
  return isCircling ? 'parked' : 'deadLettered';
}

const circling = ({ deadLetterings }: Delivery, { code, detail }: Reason): Reason => ({
  code: 'MessageCircles',
  detail: `a dead letter ${deadLetterings} times before: do Triggers name each other's queues? The last time ${code}: ${detail}`,
});

function headersOf(delivery: Delivery, { code, detail }: Reason, { consumer, clock }: AttemptDeps) {
  return {
    'x-sless-reason': code,
    'x-sless-detail': detail,
    'x-sless-attempts': delivery.attempts + 1,
    'x-sless-namespace': consumer.namespace,
    'x-sless-trigger': consumer.trigger,
    'x-sless-function': consumer.function,
    'x-sless-queue': delivery.queue,
    'x-sless-time': new Date(clock.now()).toISOString(),
  };
}

/** A broker that takes nothing at present says nothing either, and shall not keep us from ending. */
async function orAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  let leave: () => void = () => {};
  const aborted = new Promise<void>((resolve) => {
    leave = resolve;
  });
  signal.addEventListener('abort', leave);
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

/**
 * Until it is away. The function is not called again for a queue that does not take its message; the message keeps its place meanwhile,
 * so that no more than a prefetch of them waits.
 */
async function put(delivery: Delivery, work: () => Promise<void>, deps: AttemptDeps): Promise<void> {
  const { stuck, signal } = deps;
  try {
    while (!delivery.lost && !signal.aborted) {
      try {
        return await orAborted(work(), signal);
      } catch (problem) {
        if (delivery.lost || signal.aborted) return;
        stuck(delivery, problem);
      }
      await sleep(PUT_AGAIN_MS, undefined, { signal }).catch(() => {});
    }
  } finally {
    stuck(delivery, undefined);
  }
}
