import type { FunctionSettings } from '../function/settings.ts';
import { asObserved } from '../kube/kept.ts';
import type { KubeObject } from '../kube/object.ts';
import { ALONE, type Decision } from './decision.ts';
import { buildEvent } from './event.ts';
import { buildRunJob } from './job.ts';
import type { Observed } from './observed.ts';
import type { Run } from './run.ts';
import type { FunctionJobSpec } from './schema.ts';

/** The children that a FunctionJob shall have. What is there and stays is answered as it is: nothing about a run can change. */
export function wantedChildren(
  observed: Observed,
  decision: Decision,
  settings: FunctionSettings,
): KubeObject[] {
  const strays = observed.strays.map(asObserved);
  if (decision.state === 'idle') return strays;
  if (decision.state === 'begun') return [...strays, ...ofBegun(observed, decision)];
  if (decision.hold?.by === 'predecessor')
    return [...strays, ...predecessors(observed, decision.hold.isUnfinished)];
  if (decision.hold !== undefined) return strays;
  const { spec, offer } = decision;
  return [...strays, buildRunJob({ run: runOf(observed, spec), spec, offer }, settings)];
}

function runOf({ parent: { metadata } }: Observed, spec: FunctionJobSpec, runID: number = spec.runID): Run {
  const { name, namespace = '', uid = '' } = metadata;
  return { namespace, name, uid, function: spec.functionRef, runID };
}

/**
 * A Job is dropped once status is observed to hold its run, and that the next one waits: should it be seen no more before that, nobody would
 * know that it began, or when its pods may have ended. Then all go at once.
 */
function predecessors({ jobs, events, status }: Observed, isUnfinished: boolean): KubeObject[] {
  const isSaid = status.conditions?.some(({ type, status: holds }) => type === ALONE && holds === 'False');
  const isRecorded = (runID: number): boolean => runID <= (status.lastRunID ?? 0);
  const goes = (runID: number): boolean => isRecorded(runID) && (!isUnfinished || isSaid === true);
  return [...jobs, ...events].flatMap(([runID, child]) => (goes(runID) ? [] : [asObserved(child)]));
}

/** The Job stays for its logs until a higher run is wanted, the event until it is written down that the run is over. */
function ofBegun(observed: Observed, decision: Extract<Decision, { state: 'begun' }>): KubeObject[] {
  const { runID, job } = decision;
  const jobs = job === undefined ? [] : [asObserved(job)];
  const event = observed.events.get(runID);
  if (event !== undefined) return isWrittenDown(observed, runID) ? jobs : [...jobs, asObserved(event)];
  return isReleased(observed, decision) ? [...jobs, eventOf(observed, decision)] : jobs;
}

const isWrittenDown = ({ finished }: Observed, runID: number): boolean => (finished?.runID ?? 0) >= runID;

/**
 * A pod does not begin without its event, and the event is made only once status is observed to hold the Job's uid. So of every run that
 * began it is known that it did, whenever anything is killed: a Job that is gone is then lost, and never made again.
 */
export function isReleased(
  { status }: Observed,
  { runID, job, end, spec }: Extract<Decision, { state: 'begun' }>,
): boolean {
  return (
    job?.metadata.uid !== undefined &&
    status.jobUID === job.metadata.uid &&
    status.runID === runID &&
    end.state === 'running' &&
    spec !== undefined
  );
}

function eventOf(observed: Observed, { runID, spec }: Extract<Decision, { state: 'begun' }>): KubeObject {
  // Released, so there is a spec.
  const given = spec as FunctionJobSpec;
  return buildEvent(runOf(observed, given, runID), given.eventJSON ?? '{}');
}
