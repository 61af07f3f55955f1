import type { KubeObject } from '../../src/resources/kube/object.ts';
import { ask, createChild, settle, updateChild } from './loop.ts';
import { idOf, type World } from './world.ts';

/** The caches of a controller: one for the parent and one for each kind of child. */
export const CACHES = ['Function', 'Deployment', 'Service', 'Job'] as const;
type Cache = (typeof CACHES)[number];

type Snapshot = ReadonlyMap<string, KubeObject>;

/**
 * A world that is seen through caches which lag, each by its own amount. A cache never goes back, but while one shows the present
 * another may show what was there long ago.
 */
export interface Lagging {
  /** What is really there. Whoever changes it calls `remember`. */
  readonly truth: World;
  readonly past: Readonly<Record<Cache, Snapshot[]>>;
  readonly seen: Record<Cache, number>;
}

export function lagging(truth: World): Lagging {
  const past = { Function: [], Deployment: [], Service: [], Job: [] };
  const view = { truth, past, seen: { Function: 0, Deployment: 0, Service: 0, Job: 0 } };
  remember(view);
  return view;
}

/** Takes down what is there now, for caches to show later. */
export function remember({ truth, past }: Lagging): void {
  for (const cache of CACHES) {
    const objects = cache === 'Function' ? [truth.parent] : [...truth.children.values()];
    const now = new Map(objects.filter(({ kind }) => kind === cache).map((object) => [idOf(object), object]));
    const before = past[cache].at(-1);
    const isSame = before?.size === now.size && [...now].every(([id, object]) => before.get(id) === object);
    if (!isSame) past[cache].push(now);
  }
}

/** One sync of what the caches show, after each has gone on by so many moments; what it writes meets what is really there. */
export function syncBehind(of: Lagging, steps: Readonly<Record<Cache, number>>): void {
  const { truth, past, seen } = of;
  for (const cache of CACHES) seen[cache] = Math.min(seen[cache] + steps[cache], past[cache].length - 1);
  const shown = (cache: Cache): Snapshot => past[cache][seen[cache]] ?? new Map();
  const [parent = truth.parent] = shown('Function').values();
  const children = new Map([...shown('Deployment'), ...shown('Service'), ...shown('Job')]);
  const response = ask({ ...truth, parent, children });
  const wanted = new Map(response.children.map((child) => [idOf(child), child]));
  for (const [id, child] of children) if (!wanted.has(id)) removeByUid(truth, id, child);
  for (const [id, child] of wanted) writeChild(truth, children.get(id), child);
  writeStatus(truth, { ...response.status, observedGeneration: parent.metadata.generation });
  remember(of);
}

function removeByUid(truth: World, id: string, child: KubeObject): void {
  if (truth.children.get(id)?.metadata.uid !== child.metadata.uid) return;
  truth.children.delete(id);
  truth.writes += 1;
}

function writeChild(truth: World, observed: KubeObject | undefined, wanted: KubeObject): void {
  const id = idOf(wanted);
  const real = truth.children.get(id);
  // One that is there already is left alone, and so is one that changed since it was read: both are conflicts.
  if (observed === undefined && real === undefined) createChild(truth, id, wanted);
  if (real !== undefined && real === observed && wanted.kind !== 'Job') updateChild(truth, real, wanted);
}

/** Metacontroller reads the parent anew before it writes status. */
function writeStatus(truth: World, status: object): void {
  if (JSON.stringify(status) === JSON.stringify(truth.parent.status)) return;
  truth.parent = { ...truth.parent, status };
  truth.writes += 1;
}

/** All caches show the present, and everything that follows from it has been done. */
export function catchUp(of: Lagging): void {
  settle(of.truth);
  remember(of);
  for (const cache of CACHES) of.seen[cache] = of.past[cache].length - 1;
}
