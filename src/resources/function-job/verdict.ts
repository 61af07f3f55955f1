import { type ErrorCode, isErrorCode } from '../../errors.ts';
import { notAppliedMessage } from '../kube/applied.ts';
import type { Decision, Hold } from './decision.ts';
import type { Observed } from './observed.ts';
import type { Outcome } from './outcome.ts';
import type { FunctionJobStatus } from './schema.ts';

type Phase = NonNullable<FunctionJobStatus['phase']>;

/** The one word about a FunctionJob, and why. */
export interface Verdict {
  readonly phase: Phase;
  readonly reason: ErrorCode | 'Skipped' | 'Pending' | 'Running' | 'Succeeded';
  readonly message: string;
  /** Somebody must act: it will not go on by itself. */
  readonly stalled: boolean;
}

interface Facts {
  readonly observed: Observed;
  readonly decision: Decision;
  readonly missing: readonly string[];
  readonly missingTooLong: boolean;
}

/** The verdict on a FunctionJob, from what is observed; and on its run alone, which outlives whatever is said beside it. */
export function judge(facts: Facts): { readonly verdict: Verdict; readonly run: Verdict } {
  const run = judgeRun(facts);
  return { verdict: withRemarks(run, facts), run };
}

function withRemarks(verdict: Verdict, facts: Facts): Verdict {
  const { decision, missing } = facts;
  // Not stalled: a quota lets the Job through by and by, as it does its pod.
  const isWaiting = verdict.phase === 'Pending' || verdict.phase === 'Running';
  if (isWaiting && facts.missingTooLong)
    return {
      ...verdict,
      reason: 'ChildNotApplied',
      message: notAppliedMessage(missing, 'FunctionJob'),
    };
  const note = decision.state === 'begun' ? decision.note : undefined;
  if (note === undefined) return verdict;
  return { ...verdict, reason: note.reason, message: `${note.message}; ${verdict.message}`, stalled: true };
}

function judgeRun({ observed, decision }: Facts): Verdict {
  if (decision.state === 'idle') return idle(decision);
  const title = `run ${decision.runID}`;
  if (decision.state === 'begun') return begun(observed, title, decision);
  if (decision.hold !== undefined) return held(title, decision.hold);
  return { phase: 'Pending', reason: 'Pending', message: `${title} is about to start`, stalled: false };
}

function idle({ refusal }: Extract<Decision, { state: 'idle' }>): Verdict {
  if (refusal !== undefined) return { phase: 'Pending', ...refusal, stalled: true };
  return {
    phase: 'Skipped',
    reason: 'Skipped',
    message: 'nothing is run until runID is 1 or more',
    stalled: false,
  };
}

/** The function comes or is built by and by; what is wrong with it is its own status' to say. */
function held(title: string, hold: Hold): Verdict {
  const pending = { phase: 'Pending', reason: 'Pending', stalled: false } as const;
  if (hold.by === 'function')
    return { ...pending, ...hold.refusal, message: `${title} is ${hold.refusal.message}` };
  return { ...pending, message: `${title} begins once the run before it has ended` };
}

function begun(observed: Observed, title: string, { end }: Extract<Decision, { state: 'begun' }>): Verdict {
  if (end.state === 'kept') return kept(observed, title);
  if (end.state === 'lost') {
    const message = `the Job of ${title} is gone before its end was seen; raise runID to run again`;
    return { phase: 'Failed', reason: 'RunLost', message, stalled: true };
  }
  if (end.state === 'succeeded')
    return { phase: 'Succeeded', reason: 'Succeeded', message: `${title} succeeded`, stalled: false };
  if (end.state === 'failed')
    return { phase: 'Failed', reason: end.reason, message: end.message, stalled: true };
  return running(title, end);
}

function running(title: string, { awaits, trouble }: Extract<Outcome, { state: 'running' }>): Verdict {
  const verdict = { phase: 'Running', reason: 'Running', stalled: false } as const;
  if (awaits === 'no pod') {
    const message = `${title} has no pod: see the events of its Job; a quota or a rule of the cluster refuses it`;
    return { ...verdict, reason: 'ChildNotApplied', message };
  }
  if (awaits === 'report') return { ...verdict, message: `${title} is over; waiting for what it said` };
  if (trouble !== undefined) return { ...verdict, ...trouble };
  return { ...verdict, message: `${title} is running` };
}

/** What status says of a run that is over, or the annotation where status was lost. */
function kept({ status, finished, begun: runID }: Observed, title: string): Verdict {
  const isHeld = status.runID === runID && (status.phase === 'Succeeded' || status.phase === 'Failed');
  const phase = isHeld && status.phase !== undefined ? status.phase : (finished?.phase ?? 'Failed');
  const complete = status.conditions?.find(({ type }) => type === 'Complete');
  const message = isHeld
    ? (complete?.message ?? title)
    : `${title} ended before; what it said is not known any more`;
  if (phase === 'Succeeded') return { phase, reason: 'Succeeded', message, stalled: false };
  return { phase: 'Failed', reason: errorOf(complete?.reason), message, stalled: true };
}

/** It may be from a release that knew other words, or written by somebody. */
const errorOf = (reason: string | undefined): ErrorCode => (isErrorCode(reason) ? reason : 'FunctionError');
