import { FUNCTION_KINDS } from '../../src/resources/function/customize.ts';
import { syncFunction } from '../../src/resources/function/sync.ts';
import { type SyncResponse, syncResponseSchema } from '../../src/resources/kube/hook.ts';
import { groupKey, KINDS } from '../../src/resources/kube/kinds.ts';
import type { KubeObject } from '../../src/resources/kube/object.ts';
import { dynamicMerge } from './merge.ts';
import { freeze } from './settings.ts';
import { withServerDefaults } from './stored.ts';
import { idOf, requestOf, type World } from './world.ts';

/** Calls the hook with deeply frozen input and checks that the answer is one. Changes nothing. */
export function ask(of: World): SyncResponse {
  const response = syncFunction(freeze(structuredClone(requestOf(of))), of.settings, of.now);
  syncResponseSchema.parse(response);
  expectCanonical(response);
  // Metacontroller makes children of kinds that its configuration does not name, and never again looks after them.
  const declared = new Set(FUNCTION_KINDS.children.map(groupKey));
  for (const child of response.children) {
    if (!declared.has(groupKey(child))) throw new Error(`${groupKey(child)} is not declared`);
  }
  return response;
}

/** One sync as Metacontroller does it: deletes, creates and updates of children, then the whole status. */
export function sync(of: World): SyncResponse {
  const response = ask(of);
  const wanted = new Set(response.children.map(idOf));
  for (const id of of.children.keys()) if (!wanted.has(id)) remove(of, id);
  for (const child of response.children) applyChild(of, child);
  const status = { ...response.status, observedGeneration: of.parent.metadata.generation };
  if (JSON.stringify(status) !== JSON.stringify(of.parent.status)) of.writes += 1;
  of.parent = { ...of.parent, status };
  return response;
}

/** Syncs until nothing changes any more. Fails when that does not come to an end. */
export function settle(of: World): void {
  for (let round = 0; round < 10; round += 1) {
    const before = of.writes;
    sync(of);
    if (of.writes === before) return;
  }
  throw new Error('the hook does not come to rest');
}

function remove(of: World, id: string): void {
  of.children.delete(id);
  of.writes += 1;
}

const LAST_APPLIED = 'metacontroller.k8s.io/last-applied-configuration';

function applyChild(of: World, desired: KubeObject): void {
  const id = idOf(desired);
  const observed = of.children.get(id);
  if (observed === undefined) createChild(of, id, desired);
  // Jobs are OnDelete: never touched.
  else if (desired.kind !== 'Job') updateChild(of, observed, desired);
}

/** Merges a wanted child into the observed one, and stores what is then another. */
export function updateChild(of: World, observed: KubeObject, desired: KubeObject): void {
  const last = JSON.parse(observed.metadata.annotations?.[LAST_APPLIED] ?? '{}');
  const merged = dynamicMerge(observed, last, withLastApplied(desired)) as KubeObject;
  if (JSON.stringify(merged) === JSON.stringify(observed)) return;
  of.writes += 1;
  const isSpecSame = JSON.stringify(merged.spec) === JSON.stringify(observed.spec);
  const generation = (observed.metadata.generation ?? 1) + (isSpecSame ? 0 : 1);
  of.children.set(idOf(desired), { ...merged, metadata: { ...merged.metadata, generation } });
}

/** Makes a child as the API server and Metacontroller would: owned, labelled, with defaults and a uid. */
export function createChild(of: World, id: string, desired: KubeObject): void {
  if (of.refused.has(desired.kind)) return;
  of.writes += 1;
  if (desired.kind === 'Job') of.jobsMade.push(desired.metadata.name);
  const { metadata } = of.parent;
  const owner = {
    apiVersion: KINDS.Function.apiVersion,
    kind: 'Function',
    name: metadata.name,
    uid: metadata.uid ?? '',
  };
  const stored = withServerDefaults(withLastApplied(desired));
  const labels = { ...stored.metadata.labels, 'controller-uid': metadata.uid ?? '' };
  of.children.set(id, {
    ...stored,
    metadata: {
      ...stored.metadata,
      labels,
      uid: `uid-${of.jobsMade.length}-${desired.metadata.name}`,
      generation: 1,
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
    },
  });
}

function withLastApplied(desired: KubeObject): KubeObject {
  const annotations = { ...desired.metadata.annotations, [LAST_APPLIED]: JSON.stringify(desired) };
  return { ...desired, metadata: { ...desired.metadata, annotations } };
}

/** No null, no undefined and no `undefined` member anywhere: what Metacontroller reads is what the hook meant. */
export function expectCanonical(value: unknown, path = 'answer'): void {
  if (value === null || value === undefined) throw new Error(`${path} is ${String(value)}`);
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`${path} is ${value}`);
  if (typeof value !== 'object') return;
  for (const [name, member] of Object.entries(value)) expectCanonical(member, `${path}.${name}`);
}
