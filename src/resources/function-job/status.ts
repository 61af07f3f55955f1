import { appliedCondition } from '../kube/applied.ts';
import { withoutUndefined } from '../kube/canonical.ts';
import { nextConditions, type WantedCondition } from '../kube/conditions.ts';
import { formatTime } from '../kube/time.ts';
import { ALONE, type Decision, mayStillEnd } from './decision.ts';
import type { Observed } from './observed.ts';
import type { FunctionJobStatus } from './schema.ts';
import { judge, type Verdict } from './verdict.ts';

interface StatusFacts {
  readonly observed: Observed;
  readonly decision: Decision;
  readonly missing: readonly string[];
  readonly missingTooLong: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The whole status of a FunctionJob, from what is observed. */
export function functionJobStatus(facts: StatusFacts): FunctionJobStatus {
  const { observed, decision, now } = facts;
  const { verdict, run } = judge(facts);
  const conditions = nextConditions(wantedConditions(facts, verdict, run), {
    previous: observed.status.conditions ?? [],
    generation: observed.parent.metadata.generation,
    now: formatTime(now),
  });
  return withoutUndefined({
    phase: run.phase,
    message: verdict.message,
    runID: decision.state === 'idle' ? 0 : decision.runID,
    lastRunID: observed.begun === 0 ? undefined : observed.begun,
    ...courseOf(observed, decision, now),
    conditions,
  });
}

type Course = Pick<FunctionJobStatus, 'jobUID' | 'startTime' | 'completionTime' | 'attempts' | 'result'>;

/** What is known of the run: from its Job, else from the status before. */
function courseOf({ status, begun }: Observed, decision: Decision, now: number): Course {
  if (decision.state !== 'begun') return {};
  const { end, job } = decision;
  const { jobUID, startTime, completionTime, attempts, result }: Course =
    status.runID === begun ? status : {};
  const before = { jobUID, startTime, completionTime, attempts, result };
  // Nobody saw when it ended: the time from which that is known stands for it, or the FunctionJob would never expire.
  if (end.state === 'kept' || end.state === 'lost')
    return { ...before, completionTime: completionTime ?? (begun === 0 ? undefined : formatTime(now)) };
  const { course } = end;
  return {
    ...before,
    ...withoutUndefined(course),
    jobUID: job?.metadata.uid,
    result: end.state === 'succeeded' ? (end.result ?? result) : undefined,
  };
}

function wantedConditions(facts: StatusFacts, verdict: Verdict, run: Verdict): WantedCondition[] {
  const { reason, message, stalled } = verdict;
  const isDone = run.phase === 'Succeeded' || run.phase === 'Skipped';
  const isReady = isDone && !stalled;
  const isMoving = !isDone && run.phase !== 'Failed' && !stalled;
  return [
    ...alone(facts),
    ...appliedCondition(facts.missing, reason === 'ChildNotApplied'),
    {
      type: 'Complete',
      status: run.phase === 'Succeeded' ? 'True' : 'False',
      reason: run.reason,
      message: run.message,
    },
    { type: 'Ready', status: isReady ? 'True' : 'False', reason, message },
    // kstatus: these two are there only while they hold.
    ...(isMoving ? [{ type: 'Reconciling', status: 'True' as const, reason, message }] : []),
    ...(stalled ? [{ type: 'Stalled', status: 'True' as const, reason, message }] : []),
  ];
}

/** The clock of a run that waits for the pods of the one before it: it starts when that one's Job is seen no more. */
function alone({ observed, decision, now }: StatusFacts): WantedCondition[] {
  const of = { type: ALONE, reason: 'Replacing' };
  const ending: WantedCondition = {
    ...of,
    status: 'Unknown',
    message: 'pods of the run before may still be ending',
  };
  const ended: WantedCondition = { ...of, status: 'True', message: 'the run before has ended' };
  if (decision.state === 'idle') return [];
  if (decision.state === 'begun')
    return decision.job === undefined && mayStillEnd(observed, decision.end, now) ? [ending] : [];
  const { hold } = decision;
  if (hold?.by === 'pods') return [ending];
  if (hold?.by === 'predecessor')
    return [hold.isUnfinished ? { ...of, status: 'False', message: 'the run before is being ended' } : ended];
  // What it waited for once, it does not wait for again.
  return observed.status.conditions?.some(({ type }) => type === ALONE) ? [ended] : [];
}
