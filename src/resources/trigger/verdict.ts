import { type ErrorCode, isErrorCode } from '../../errors.ts';
import { notAppliedMessage } from '../kube/applied.ts';
import { LABELS } from '../kube/labels.ts';
import { labelOf } from '../kube/object.ts';
import type { Acceptance } from './acceptance.ts';
import { type ConsumerState, consumerStateOf } from './consumer.ts';
import type { Observed } from './observed.ts';
import { isNeverDue } from './schedule.ts';

/** The one word about a Trigger, and why. */
export interface Verdict {
  readonly state: 'ready' | 'waiting' | 'stalled';
  readonly reason: ErrorCode | 'Active' | 'Disabled' | 'Applying' | 'NeverDue';
  readonly message: string;
  /** Whether calls come through. */
  readonly active: boolean;
  /** event: the state of the consumer in one word. */
  readonly consumer?: string;
}

interface Facts {
  readonly observed: Observed;
  readonly acceptance: Acceptance;
  readonly missing: readonly string[];
  readonly missingTooLong: boolean;
}

/** The verdict on a Trigger, from what is observed. One that is disabled is as it shall be. */
export function judge({ observed, acceptance, missing, missingTooLong }: Facts): Verdict {
  const { spec, refusal } = acceptance;
  if (refusal !== undefined) {
    const state = refusal.reason === 'FunctionNotFound' ? 'waiting' : 'stalled';
    return { state, ...refusal, active: false };
  }
  if (missingTooLong) {
    const message = notAppliedMessage(missing, 'Trigger');
    return { state: 'stalled', reason: 'ChildNotApplied', message, active: false };
  }
  if (missing.length > 0)
    return {
      state: 'waiting',
      reason: 'Applying',
      message: `waiting for ${missing.join(', ')}`,
      active: false,
    };
  if (spec?.enabled !== true)
    return { state: 'ready', reason: 'Disabled', message: 'disabled', active: false };
  if (spec.type === 'event') return judgeConsumer(observed);
  if (spec.type === 'cron' && observed.isFunctionStopped) {
    const message = `no calls are made while the function ${spec.functionRef} has 0 replicas`;
    return { state: 'ready', reason: 'FunctionStopped', message, active: false };
  }
  if (spec.type === 'cron' && isNeverDue(spec.schedule ?? '')) {
    const message = `never falls due: no month of the schedule ${spec.schedule} has such a day`;
    return { state: 'ready', reason: 'NeverDue', message, active: false };
  }
  return { state: 'ready', reason: 'Active', message: 'active', active: true };
}

/** What the dispatcher says of the queue. */
function judgeConsumer({ children }: Observed): Verdict {
  const configMap = children.find((child) => labelOf(child, LABELS.consumer) === 'true');
  const state = configMap === undefined ? undefined : consumerStateOf(configMap);
  if (state === undefined) {
    const message = 'waiting for a dispatcher to consume the queue';
    return { state: 'waiting', reason: 'ConsumerPending', message, active: false, consumer: 'Pending' };
  }
  return state.connected ? flowing(state) : broken(state);
}

/** A consumer that pauses is there, and says why nothing comes. */
function flowing({ reason, message }: ConsumerState): Verdict {
  const said = message ?? reason ?? 'active';
  return { state: 'ready', reason: 'Active', message: said, active: true, consumer: reason ?? 'Connected' };
}

/** The dispatcher tries again by itself, whatever it is. */
function broken({ reason, message }: ConsumerState): Verdict {
  const code = isErrorCode(reason) ? reason : 'ConsumerFailed';
  const said = message ?? 'the queue cannot be consumed';
  return { state: 'waiting', reason: code, message: said, active: false, consumer: code };
}
