import type { FunctionSettings } from '../function/settings.ts';
import { objectsOf } from '../kube/hook.ts';
import { KINDS } from '../kube/kinds.ts';
import type { KubeObject } from '../kube/object.ts';
import type { Refusal } from '../kube/refusal.ts';
import { parseTime } from '../kube/time.ts';
import { accept } from './acceptance.ts';
import { GRACE_SECONDS } from './job.ts';
import type { Observed } from './observed.ts';
import { type Offer, offerOf } from './offer.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import type { FunctionJobSpec } from './schema.ts';

/** What becomes of a FunctionJob. */
export type Decision =
  /** Nothing has run, and nothing shall: runID 0, or a spec that cannot be used. */
  | { readonly state: 'idle'; readonly refusal: Refusal | undefined }
  /** The run that began last, with its Job or without. */
  | {
      readonly state: 'begun';
      readonly runID: number;
      readonly end: End;
      readonly job: KubeObject | undefined;
      /** Why nothing else is done: the spec asks for nothing higher, or cannot be used. */
      readonly note: Refusal | undefined;
      /** What the run is given, unless the spec cannot be used. */
      readonly spec: FunctionJobSpec | undefined;
    }
  /** A run that has not begun, and why it does not yet. */
  | { readonly state: 'next'; readonly runID: number; readonly spec: FunctionJobSpec; readonly hold: Hold }
  | {
      readonly state: 'next';
      readonly runID: number;
      readonly spec: FunctionJobSpec;
      readonly hold?: never;
      readonly offer: Offer;
    };

/** How a run that began stands. `kept`: it is over and its Job is gone; status or the annotation still say how it ended. */
export type End = Outcome | { readonly state: 'kept' } | { readonly state: 'lost' };

/** What keeps a run from beginning. */
export type Hold =
  /** The run before it is still there: it is dropped once status is observed to say that it began. */
  | { readonly by: 'predecessor'; readonly isUnfinished: boolean }
  /** Its Job is gone, by whoever took it away; its pods may still be ending. */
  | { readonly by: 'pods' }
  | { readonly by: 'function'; readonly refusal: Refusal };

/** The clock of a run that waits until the pods of the one before it have ended. */
export const ALONE = 'Alone';
/** The collector was seen to delete pods up to 10 s after their Job, where it had just come to know the kind; here it has twice that. */
const COLLECTOR_SECONDS = 20;
/** Then they have their grace. What this does not guarantee, and why no fact stands in its place: docs/adr/0022. */
const ENDING_SECONDS = GRACE_SECONDS + COLLECTOR_SECONDS;

/** Decides what shall be: a higher run than any that began runs, alone; anything else runs nothing. */
export function decide(observed: Observed, settings: FunctionSettings, now: number): Decision {
  const acceptance = accept(observed);
  const { begun } = observed;
  if ('refusal' in acceptance) {
    if (begun === 0) return { state: 'idle', refusal: acceptance.refusal };
    return { state: 'begun', ...lastRun(observed, now), note: acceptance.refusal, spec: undefined };
  }
  const { spec } = acceptance;
  const isDeleted = observed.parent.metadata.deletionTimestamp !== undefined;
  if (spec.runID > begun && !isDeleted) return nextRun(observed, spec, { settings, now });
  if (begun === 0) return { state: 'idle', refusal: undefined };
  return { state: 'begun', ...lastRun(observed, now), note: notHigher(observed, spec), spec };
}

function notHigher({ begun }: Observed, { runID }: FunctionJobSpec): Refusal | undefined {
  if (runID >= begun) return undefined;
  return {
    reason: 'RunNotHigher',
    message: `runID ${runID} is lower than ${begun}, which has begun before: nothing is run`,
  };
}

const isTerminal = (phase: string | undefined): boolean => phase === 'Succeeded' || phase === 'Failed';

/** A finished run is never repeated, whatever became of its Job; and of one whose Job is gone before its end nobody knows what it did. */
function lastRun(observed: Observed, now: number): { runID: number; end: End; job: KubeObject | undefined } {
  const { status, finished, jobs, begun: runID } = observed;
  if (runID === 0) return { runID, end: { state: 'kept' }, job: undefined };
  const job = jobs.get(runID);
  const isOver = (status.runID === runID && isTerminal(status.phase)) || finished?.runID === runID;
  if (job !== undefined) {
    const outcome = outcomeOf(job, now);
    return { runID, end: isOver && outcome.state === 'running' ? { state: 'kept' } : outcome, job };
  }
  return { runID, end: { state: isOver ? 'kept' : 'lost' }, job };
}

interface Context {
  readonly settings: FunctionSettings;
  readonly now: number;
}

function nextRun(observed: Observed, spec: FunctionJobSpec, { settings, now }: Context): Decision {
  const { runID } = spec;
  const last = lastRun(observed, now);
  if (last.job !== undefined && isOverUnsaid(observed, last))
    return { state: 'begun', ...last, note: undefined, spec };
  const before = [...observed.jobs.values()];
  if (before.length > 0) {
    const isUnfinished = before.some((job) => outcomeOf(job, now).state === 'running');
    return { state: 'next', runID, spec, hold: { by: 'predecessor', isUnfinished } };
  }
  if (mayStillEnd(observed, last.end, now)) return { state: 'next', runID, spec, hold: { by: 'pods' } };
  const offered = offerOf(spec.functionRef, functionOf(observed, spec), settings);
  if ('awaits' in offered)
    return { state: 'next', runID, spec, hold: { by: 'function', refusal: offered.awaits } };
  return { state: 'next', runID, spec, offer: offered.offer };
}

/** What a run came to is in status before its Job gives way to the next one's. */
function isOverUnsaid({ status, begun }: Observed, { end }: { readonly end: End }): boolean {
  if (status.runID === begun && isTerminal(status.phase)) return false;
  if (end.state === 'running') return end.awaits === 'report';
  return end.state === 'succeeded' || end.state === 'failed';
}

/**
 * Whether pods of a run whose Job is gone may still be there. The clock says so, which outlives whatever the spec asks for meanwhile: False
 * while the replaced Job is seen, Unknown since it is gone, True once its pods are too (see `status.ts`). Where there is no clock yet, it begins.
 */
export function mayStillEnd({ status }: Observed, end: End, now: number): boolean {
  const alone = status.conditions?.find(({ type }) => type === ALONE);
  if (alone === undefined) return end.state === 'lost';
  if (alone.status !== 'Unknown') return alone.status === 'False';
  const since = parseTime(alone.lastTransitionTime);
  return since !== undefined && now - since < ENDING_SECONDS * 1000;
}

function functionOf({ related, parent }: Observed, { functionRef }: FunctionJobSpec): KubeObject | undefined {
  return objectsOf(related, KINDS.Function).find(
    ({ metadata }) => metadata.name === functionRef && metadata.namespace === parent.metadata.namespace,
  );
}
