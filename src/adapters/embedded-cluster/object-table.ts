import type { ObjectRef, Query } from '../../ports/cluster.ts';
import { groupKey } from '../../resources/kube/kinds.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { deepFreeze } from './merge-patch.ts';
import type { StateStore } from './state-store.ts';

type Names = Map<string, KubeObject>;

/** All objects in memory, with what finds them, over the store that outlives this process. */
export interface ObjectTable {
  find(ref: ObjectRef): KubeObject | undefined;
  /** What matches, in the order of namespace and name. */
  select(query: Query): KubeObject[];
  findByUid(uid: string): KubeObject | undefined;
  /** Objects with an owner reference to that uid. */
  dependentsOf(uid: string): KubeObject[];
  inNamespace(namespace: string): KubeObject[];
  everything(): Iterable<KubeObject>;
  /** Stores with the next resource version, durably. */
  put(object: KubeObject): KubeObject;
  /** Removes; returned with the resource version of its removal, as a watch tells it. */
  remove(object: KubeObject): KubeObject;
}

export function createObjectTable(store: StateStore): ObjectTable {
  const saved = store.load();
  const kinds = new Map<string, Map<string, Names>>();
  const byUid = new Map<string, KubeObject>();
  const byOwner = new Map<string, Set<string>>();
  let revision = saved.revision;

  const namesOf = (kind: string, namespace: string): Names => {
    const namespaces = getOrAdd(kinds, kind, () => new Map<string, Names>());
    return getOrAdd(namespaces, namespace, () => new Map());
  };
  const forget = (object: KubeObject) => {
    const { uid = '', name, namespace = '', ownerReferences = [] } = object.metadata;
    namesOf(groupKey(object), namespace).delete(name);
    byUid.delete(uid);
    for (const owner of ownerReferences) removeFrom(byOwner, owner.uid, uid);
  };
  const remember = (object: KubeObject) => {
    const { uid = '', name, namespace = '', ownerReferences = [] } = object.metadata;
    const known = byUid.get(uid);
    if (known) forget(known);
    namesOf(groupKey(object), namespace).set(name, object);
    byUid.set(uid, object);
    for (const owner of ownerReferences) getOrAdd(byOwner, owner.uid, () => new Set()).add(uid);
  };
  for (const object of saved.objects) remember(deepFreeze(object));

  const stamped = (object: KubeObject, next: number): KubeObject =>
    deepFreeze({ ...object, metadata: { ...object.metadata, resourceVersion: String(next) } });
  return {
    find: ({ kind, namespace, name }) =>
      kinds
        .get(groupKey(kind))
        ?.get(namespace ?? '')
        ?.get(name),
    select: (query) => selectFrom(kinds.get(groupKey(query.kind)), query),
    findByUid: (uid) => byUid.get(uid),
    dependentsOf: (uid) => [...(byOwner.get(uid) ?? [])].flatMap((key) => byUid.get(key) ?? []),
    inNamespace: (namespace) =>
      [...kinds.values()].flatMap((all) => [...(all.get(namespace)?.values() ?? [])]),
    everything: () => byUid.values(),
    put(object) {
      const kept = stamped(object, revision + 1);
      store.save({ revision: revision + 1, put: { key: keyOf(kept), object: kept } });
      revision += 1;
      remember(kept);
      return kept;
    },
    remove(object) {
      store.save({ revision: revision + 1, remove: keyOf(object) });
      revision += 1;
      forget(object);
      return stamped(object, revision);
    },
  };
}

/** Where the store keeps it. */
function keyOf(object: KubeObject): string {
  return `${groupKey(object)} ${nameKey(object)}`;
}

/** `namespace/name`, or the bare name of an object without a namespace: what lists are ordered by. */
export function nameKey(object: KubeObject): string {
  const { namespace, name } = object.metadata;
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** Whether an object of the query's kind is among what it asks for. */
export function matches(query: Query, object: KubeObject): boolean {
  const { namespace, name, labels } = object.metadata;
  if (query.namespace !== undefined && query.namespace !== namespace) return false;
  if (query.name !== undefined && query.name !== name) return false;
  return Object.entries(query.labels ?? {}).every(([key, value]) => labels?.[key] === value);
}

function selectFrom(namespaces: Map<string, Names> | undefined, query: Query): KubeObject[] {
  const names =
    query.namespace === undefined ? [...(namespaces?.values() ?? [])] : [namespaces?.get(query.namespace)];
  return names
    .flatMap((known) => [...(known?.values() ?? [])])
    .filter((object) => matches(query, object))
    .map((object) => [nameKey(object), object] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, object]) => object);
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

function removeFrom(map: Map<string, Set<string>>, key: string, value: string): void {
  const values = map.get(key);
  values?.delete(value);
  if (values?.size === 0) map.delete(key);
}
