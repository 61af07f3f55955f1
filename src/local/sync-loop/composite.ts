import { isDeepStrictEqual } from 'node:util';
import { isSlessError } from '../../errors.ts';
import type { ControllerCluster } from '../../ports/cluster.ts';
import type { Kind } from '../../resources/kube/kinds.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { syncAnswer } from './answers.ts';
import { type AppliedMemory, manageChildren, wantedGroups } from './children.ts';
import type { Controller } from './controllers.ts';
import { addGroup, type Groups } from './groups.ts';
import type { Hooks } from './hook.ts';
import type { ObjectCache } from './object-cache.ts';
import type { Related } from './related.ts';

/** The label that `generateSelector` gives to children and claims them by. */
const SELECTOR_LABEL = 'controller-uid';

/** How often the status is written again after somebody else changed the parent (clientset.go). */
const STATUS_TRIES = 5;

/** What a sync of one parent needs. */
export interface SyncDeps {
  readonly cluster: ControllerCluster;
  readonly controller: Controller;
  readonly hooks: Hooks;
  readonly related: Related;
  readonly memory: AppliedMemory;
  readonly kinds: readonly Kind[];
  readonly cacheOf: (kind: Kind) => ObjectCache;
}

/** What a sync leaves behind: when to sync again on the hook's wish. */
export interface Synced {
  readonly resyncAfterSeconds?: number | null | undefined;
}

/**
 * One sync of a CompositeController's parent, in Metacontroller's order: children as the caches have them, related
 * objects, hook, deletes, applies, status. `scheduled` is told of the hook's wish before any of that is done.
 */
export async function syncComposite(
  deps: SyncDeps,
  parent: KubeObject,
  scheduled: (after: Synced) => void,
): Promise<void> {
  const { controller, hooks, related, kinds } = deps;
  const observed = claimed(deps, parent);
  const request = {
    controller: controller.object,
    parent,
    children: observed,
    related: await related.objectsFor(parent),
    finalizing: false,
  };
  const answer = await hooks.ask(controller.sync, request, syncAnswer);
  scheduled(answer);
  const wanted = wantedGroups(
    parent,
    answer.children.map((child) => labelled(parent, child)),
    kinds,
  );
  const errors =
    parent.metadata.deletionTimestamp === undefined
      ? await manageChildren(deps, { parent, observed, wanted, rules: controller.children })
      : [];
  if (!(await writeStatus(deps, parent, answer.status ?? {}))) return;
  if (errors.length > 0) throw new AggregateError(errors, errors.map((error) => error.message).join('; '));
}

/** Children by the rules' kinds: owned by the parent's uid and labelled with it. Every kind has its group. */
function claimed({ controller, cacheOf }: SyncDeps, { metadata: { uid = '' } }: KubeObject): Groups {
  const groups: Groups = {};
  for (const { kind } of controller.children) {
    const owned = cacheOf(kind).controlledBy(uid);
    addGroup(
      groups,
      kind,
      owned.filter(({ metadata }) => metadata.labels?.[SELECTOR_LABEL] === uid),
    );
  }
  return groups;
}

function labelled({ metadata: { uid = '' } }: KubeObject, child: KubeObject): KubeObject {
  const { labels } = child.metadata;
  const own = labels?.[SELECTOR_LABEL];
  if (own !== undefined && own !== uid) {
    throw new Error(
      `labels on desired child ${child.kind} ${child.metadata.name} do not match the parent's selector`,
    );
  }
  return { ...child, metadata: { ...child.metadata, labels: { ...labels, [SELECTOR_LABEL]: uid } } };
}

/**
 * Replaces the status of the parent as it is now. A parent that is gone or keeps changing ends the sync in silence, with
 * what went wrong before: its event brings the next one. Answers whether it was written.
 */
async function writeStatus(deps: SyncDeps, parent: KubeObject, status: object): Promise<boolean> {
  const { name, namespace, uid, generation } = parent.metadata;
  const [rule] = deps.controller.parents;
  if (!rule) return false;
  const ref = { kind: rule.kind, name, ...(namespace === undefined ? {} : { namespace }) };
  const wanted = { ...status, observedGeneration: generation };
  for (let attempt = 0; attempt <= STATUS_TRIES; attempt += 1) {
    const live = await deps.cluster.get(ref);
    if (!live || live.metadata.uid !== uid) return false;
    if (isDeepStrictEqual(live.status, wanted)) return true;
    try {
      await deps.cluster.replaceStatus({ ...live, status: wanted });
      return true;
    } catch (error) {
      if (isSlessError(error, 'NotFound')) return false;
      if (!isSlessError(error, 'Conflict')) throw error;
    }
  }
  return false;
}
