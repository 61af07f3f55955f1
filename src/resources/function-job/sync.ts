import type { FunctionSettings } from '../function/settings.ts';
import { isMissingTooLong, missingChildren } from '../kube/applied.ts';
import type { SyncRequest, SyncResponse } from '../kube/hook.ts';
import { isReleased, wantedChildren } from './children.ts';
import { ALONE, type Decision, decide } from './decision.ts';
import { type Observed, observe } from './observed.ts';
import type { FunctionJobStatus } from './schema.ts';
import { functionJobStatus } from './status.ts';

/** How soon to look again while something is awaited that no event announces. */
const RESYNC_SECONDS = 5;
/** The same for what this hook has just written into status itself, which wakes nobody. */
const STATUS_SECONDS = 0.5;

/**
 * The sync hook of a FunctionJob: one Job a run, in an order that leaves no run unknown, whatever is killed. The Job is made; status says
 * its uid; only then the event is made, without which the pod does not begin. Pure.
 *
 * @param now milliseconds since 1970
 */
export function syncFunctionJob(request: SyncRequest, settings: FunctionSettings, now: number): SyncResponse {
  const observed = observe(request);
  const decision = decide(observed, settings, now);
  const children = wantedChildren(observed, decision, settings);
  const missing = missingChildren(children, [
    ...observed.jobs.values(),
    ...observed.events.values(),
    ...observed.strays,
  ]);
  const missingTooLong = isMissingTooLong(missing, { previous: observed.status.conditions ?? [], now });
  const status = functionJobStatus({ observed, decision, missing, missingTooLong, now });
  const resyncAfterSeconds = awaitsStatus(observed, decision)
    ? STATUS_SECONDS
    : missing.length > 0 || awaitsUnannounced(decision) || isUnsettled(status)
      ? RESYNC_SECONDS
      : undefined;
  return { status, children, ...(resyncAfterSeconds === undefined ? {} : { resyncAfterSeconds }) };
}

/** A run may be gone whose pods are not: only time says when they are. */
const isUnsettled = ({ conditions }: FunctionJobStatus): boolean =>
  conditions?.some(({ type, status }) => type === ALONE && status === 'Unknown') === true;

function awaitsStatus(observed: Observed, decision: Decision): boolean {
  if (decision.state === 'next') return decision.hold?.by === 'predecessor';
  if (decision.state !== 'begun') return false;
  const { runID, end, spec } = decision;
  // The next run waits until status says how this one ended.
  if (end.state !== 'running') return spec !== undefined && spec.runID > runID;
  return spec !== undefined && !observed.events.has(runID) && !isReleased(observed, decision);
}

function awaitsUnannounced(decision: Decision): boolean {
  return decision.state === 'begun' && decision.end.state === 'running' && decision.end.awaits !== 'end';
}
