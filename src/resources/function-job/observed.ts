import { type ObjectGroups, objectsOf, type SyncRequest } from '../kube/hook.ts';
import { KINDS, type Kind } from '../kube/kinds.ts';
import { ANNOTATIONS } from '../kube/labels.ts';
import { annotationOf, controllerOf, type KubeObject } from '../kube/object.ts';
import { readRunID, runOf } from './run.ts';
import { type FunctionJobStatus, functionJobStatusSchema } from './schema.ts';

/** What a sync of a FunctionJob sees, indexed. */
export interface Observed {
  readonly parent: KubeObject;
  readonly status: FunctionJobStatus;
  readonly related: ObjectGroups;
  /** Its own children by their run. Jobs that are being deleted are among them: their pods may still be there. */
  readonly jobs: ReadonlyMap<number, KubeObject>;
  readonly events: ReadonlyMap<number, KubeObject>;
  /** Its own children of no run that can be read: they stay as they are. */
  readonly strays: readonly KubeObject[];
  /** The highest run that is known to be over, by the annotation. */
  readonly finished: Finished | undefined;
  /** The highest run that ever began, 0 when none did. It and those below it are never run again. */
  readonly begun: number;
}

export interface Finished {
  readonly runID: number;
  readonly phase: 'Succeeded' | 'Failed';
  /** Whether the annotation says that it is this FunctionJob's. */
  readonly isBound: boolean;
}

/** Indexes a request. Status is the user's to damage, so one that does not hold up counts as lost. */
export function observe({ parent, children, related }: SyncRequest): Observed {
  const own = (kind: Kind): KubeObject[] => objectsOf(children, kind).filter((child) => isOwn(parent, child));
  const all = { jobs: own(KINDS.Job), events: own(KINDS.ConfigMap) };
  const status = functionJobStatusSchema.safeParse(parent.status ?? {}).data ?? {};
  const [jobs, events] = [byRun(all.jobs), byRun(all.events)];
  const finished = finishedOf(parent);
  // An event is there only since its run's Job was seen: it speaks for a Job that is gone.
  const runs = [status.lastRunID ?? 0, finished?.runID ?? 0, ...jobs.keys(), ...events.keys()];
  return {
    parent,
    status,
    related,
    jobs,
    events,
    strays: [...all.jobs, ...all.events].filter((child) => runOf(child) === undefined),
    finished,
    begun: Math.max(...runs),
  };
}

/** A child of a FunctionJob that had this name before is not ours, and is about to be collected. */
function isOwn({ metadata: { namespace, uid } }: KubeObject, child: KubeObject): boolean {
  return child.metadata.namespace === namespace && controllerOf(child)?.uid === uid;
}

function byRun(children: readonly KubeObject[]): Map<number, KubeObject> {
  const runs = children.flatMap((child) => {
    const run = runOf(child);
    return run === undefined ? [] : [[run, child] as const];
  });
  return new Map(runs.sort(([a], [b]) => a - b));
}

/** What the annotation says of a run: whose it is too, since annotations travel with a manifest, from staging to production. */
export function finishedRunText(of: KubeObject, runID: number): string {
  return `${addressOf(of)}=${runID}`;
}

const addressOf = ({ metadata: { namespace = '', name } }: KubeObject): string => `${namespace}/${name}`;

/** What the annotations of a FunctionJob say of its finished runs. */
export function finishedOf(parent: KubeObject): Finished | undefined {
  const text = annotationOf(parent, ANNOTATIONS.finishedRun) ?? '';
  const prefix = `${addressOf(parent)}=`;
  const isBound = text.startsWith(prefix);
  // A number alone is from before it was bound: a backup of then must not make a migration run twice.
  const runID = readRunID(isBound ? text.slice(prefix.length) : text);
  if (runID === undefined || runID === 0) return undefined;
  const phase = annotationOf(parent, ANNOTATIONS.finishedPhase) === 'Succeeded' ? 'Succeeded' : 'Failed';
  return { runID, phase, isBound };
}
