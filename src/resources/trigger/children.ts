import { asObserved } from '../kube/kept.ts';
import { KINDS } from '../kube/kinds.ts';
import { LABELS } from '../kube/labels.ts';
import { type KubeObject, labelOf } from '../kube/object.ts';
import type { Acceptance } from './acceptance.ts';
import { buildConsumer, type Consumer } from './consumer.ts';
import { type Cron, wantedCron } from './cron.ts';
import { buildCronJob, type CronSettings } from './cron-job.ts';
import type { Observed } from './observed.ts';
import { buildPayload } from './payload.ts';
import type { TriggerSpec } from './schema.ts';

/** RabbitMQ takes a message back after 30 minutes without an ack; a call from a queue must have ended before. */
const MAX_EVENT_TIMEOUT_SECONDS = 1500;
const DEFAULT_PREFETCH = 10;
const DEFAULT_ATTEMPTS = 5;

/**
 * The children that a Trigger shall have. On a spec that cannot be used the last good ones stay as they are, unless it says that it is disabled.
 * While its Function is missing, or shall have no pods, a CronJob sleeps; while it is missing a queue keeps its messages.
 */
export function wantedChildren(
  observed: Observed,
  { spec, refusal }: Acceptance,
  settings: CronSettings,
): KubeObject[] {
  const isWaiting = refusal?.reason === 'FunctionNotFound';
  if (spec === undefined || (refusal !== undefined && !isWaiting)) return lastGood(observed);
  const active = spec.enabled && !isWaiting;
  if (spec.type === 'event') return active ? [buildConsumer(consumerOf(observed, spec))] : [];
  if (spec.type !== 'cron') return [];
  const cron = cronOf(observed, spec, active && !observed.isFunctionStopped);
  return [buildCronJob(cron, settings), buildPayload(cron)];
}

/** `enabled: false` is understood whatever else a spec says: who stops a function means it, be there a mistake in a payload or not. */
function lastGood({ parent, children }: Observed): KubeObject[] {
  const { enabled } = (parent.spec ?? {}) as { readonly enabled?: unknown };
  if (enabled !== false) return children.map(asObserved);
  return children.filter((child) => labelOf(child, LABELS.consumer) !== 'true').map(asleep);
}

function asleep(child: KubeObject): KubeObject {
  const kept = asObserved(child);
  if (kept.kind !== KINDS.CronJob.kind) return kept;
  return { ...kept, spec: { ...(kept.spec as object | undefined), suspend: true } };
}

const addressOf = ({ parent: { metadata } }: Observed) => ({
  namespace: metadata.namespace ?? '',
  trigger: metadata.name,
  triggerUid: metadata.uid ?? '',
});

function cronOf(observed: Observed, spec: TriggerSpec, active: boolean): Cron {
  return wantedCron({ ...addressOf(observed), spec, active, timeoutSeconds: observed.timeoutSeconds });
}

function consumerOf(observed: Observed, spec: TriggerSpec): Consumer {
  const { deadLetterQueue, brokerSecret } = spec;
  return {
    ...addressOf(observed),
    queue: spec.queue ?? '',
    function: spec.functionRef,
    prefetch: spec.prefetch ?? DEFAULT_PREFETCH,
    maxAttempts: spec.maxAttempts ?? DEFAULT_ATTEMPTS,
    timeoutSeconds: Math.min(observed.timeoutSeconds, MAX_EVENT_TIMEOUT_SECONDS),
    ...(deadLetterQueue === undefined ? {} : { deadLetterQueue }),
    ...(brokerSecret === undefined ? {} : { brokerSecret }),
  };
}
