import { createHash } from 'node:crypto';
import { isSlessError } from '../../errors.ts';
import type { ControllerCluster, ObjectRef } from '../../ports/cluster.ts';
import { findKind, groupKey, type Kind } from '../../resources/kube/kinds.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import type { ChildRule } from './controllers.ts';
import { addGroup, type Groups, memberKey, ordered } from './groups.ts';

/** As `--apply-strategy-ssa-field-manager` has it. */
export const FIELD_MANAGER = 'metacontroller';

/** What was applied last and what came of it, by object: an apply that would say the same again is spared. */
export type AppliedMemory = Map<string, Applied>;

interface Applied {
  readonly hash: string;
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  readonly resourceVersion: string | undefined;
}

export interface ChildDeps {
  readonly cluster: Pick<ControllerCluster, 'apply' | 'delete'>;
  readonly memory: AppliedMemory;
  readonly kinds: readonly Kind[];
}

/** The children of one parent: as the caches have them, and as its hook wants them. */
export interface Children {
  readonly parent: KubeObject;
  readonly observed: Groups;
  readonly wanted: Groups;
  readonly rules: readonly ChildRule[];
}

/**
 * The wanted children by kind and key, each in its parent's namespace. One in another namespace would be collected as
 * soon as it is made, since owners do not reach across; that is said instead.
 */
export function wantedGroups(
  parent: KubeObject,
  wanted: readonly KubeObject[],
  kinds: readonly Kind[],
): Groups {
  const groups: Groups = {};
  const home = parent.metadata.namespace;
  for (const given of wanted) {
    const kind = kinds.find((known) => groupKey(known) === groupKey(given));
    if (!kind) throw new Error(`the cluster has no kind ${given.kind} of ${given.apiVersion}`);
    const namespace = given.metadata.namespace ?? (kind.namespaced ? home : undefined);
    if (!kind.namespaced !== (namespace === undefined) || (home !== undefined && namespace !== home)) {
      throw new Error(
        `${given.kind} ${given.metadata.name}: a child must be in the namespace of its parent, ${home}`,
      );
    }
    addGroup(groups, kind, [
      { ...given, metadata: { ...given.metadata, ...(namespace === undefined ? {} : { namespace }) } },
    ]);
  }
  return groups;
}

/** Deletes what is not wanted, then applies what is. One failure does not keep the others: all are answered. */
export async function manageChildren(deps: ChildDeps, children: Children): Promise<Error[]> {
  const errors: Error[] = [];
  const attempt = async (work: Promise<void>) => {
    await work.catch((error: Error) => errors.push(error));
  };
  for (const [group, objects] of ordered(children.observed)) {
    for (const [key, object] of ordered(objects)) {
      if (children.wanted[group]?.[key] === undefined) await attempt(deleteChild(deps, object));
    }
  }
  for (const [group, objects] of ordered(children.wanted)) {
    for (const [key, object] of ordered(objects)) {
      await attempt(
        applyChild(deps, children, { wanted: object, observed: children.observed[group]?.[key] }),
      );
    }
  }
  return errors;
}

async function deleteChild({ cluster, memory }: ChildDeps, object: KubeObject): Promise<void> {
  const { uid, deletionTimestamp } = object.metadata;
  if (deletionTimestamp !== undefined) return;
  try {
    await cluster.delete(refOf(object), uid === undefined ? {} : { uid });
  } catch (error) {
    // It is gone already, which is what was wanted.
    if (!isSlessError(error, 'NotFound')) throw error;
    return;
  }
  memory.delete(memoryKey(object));
}

async function applyChild(
  { cluster, memory }: ChildDeps,
  { parent, rules }: Children,
  { wanted, observed }: { readonly wanted: KubeObject; readonly observed: KubeObject | undefined },
): Promise<void> {
  if (observed?.metadata.deletionTimestamp !== undefined) return;
  const object = owned(parent, wanted);
  const hash = createHash('sha256').update(canonical(object)).digest('hex');
  if (observed && isCurrent(memory.get(memoryKey(object)), observed, hash)) return;
  const rule = rules.find(({ kind }) => groupKey(kind) === groupKey(object));
  if (observed && rule?.update !== 'InPlace') {
    memory.set(memoryKey(object), applied(hash, observed));
    return;
  }
  try {
    memory.set(memoryKey(object), applied(hash, await cluster.apply(object, FIELD_MANAGER)));
  } catch (error) {
    // Somebody else changed it meanwhile: its event brings the next sync.
    if (!isSlessError(error, 'Conflict')) throw error;
  }
}

/** What is applied: the child with its owner, without what only the server writes. */
function owned(parent: KubeObject, { status: _, ...child }: KubeObject): KubeObject {
  const { name, namespace, labels, annotations, finalizers, ownerReferences = [] } = child.metadata;
  const { apiVersion, kind, metadata } = parent;
  const owner = {
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
  const owners = ownerReferences.some(({ uid }) => uid === owner.uid)
    ? ownerReferences
    : [...ownerReferences, owner];
  const given = { name, namespace, labels, annotations, finalizers, ownerReferences: owners };
  return JSON.parse(JSON.stringify({ ...child, metadata: given }));
}

const applied = (hash: string, { metadata: { uid, generation, resourceVersion } }: KubeObject): Applied => ({
  hash,
  uid,
  generation,
  resourceVersion,
});

/** Kinds without a generation are compared by version, so that somebody's change of one is undone. */
function isCurrent(last: Applied | undefined, { metadata }: KubeObject, hash: string): boolean {
  if (!last || last.hash !== hash || last.uid !== metadata.uid) return false;
  if (!metadata.generation && last.resourceVersion !== metadata.resourceVersion) return false;
  return last.generation === metadata.generation;
}

function memoryKey(object: KubeObject): string {
  const [group] = object.apiVersion.includes('/') ? object.apiVersion.split('/') : [''];
  return `${group}/${object.kind}/${memberKey(object)}`;
}

function refOf(object: KubeObject): ObjectRef {
  const kind = findKind(object.apiVersion, object.kind);
  const { name, namespace } = object.metadata;
  if (!kind) throw new Error(`no kind ${object.kind} of ${object.apiVersion}`);
  return { kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

/** JSON with the members of objects in the order of their names, as Go writes maps. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(ordered(member as Record<string, unknown>))
      : member,
  );
}
