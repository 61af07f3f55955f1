import { groupKey, type Kind } from '../../resources/kube/kinds.ts';
import type { KubeObject } from '../../resources/kube/object.ts';

/** Objects by kind, then by `namespace/name` (`name` without a namespace): what hooks of version v2 are sent. */
export type Groups = Record<string, Record<string, KubeObject>>;

/** Adds objects to the group of their kind, which is there even when they are none. */
export function addGroup(groups: Groups, kind: Kind, objects: readonly KubeObject[]): void {
  const group = groups[groupKey(kind)] ?? {};
  groups[groupKey(kind)] = group;
  for (const object of objects) group[memberKey(object)] = object;
}

/** The key of an object in its group. */
export function memberKey({ metadata: { namespace, name } }: KubeObject): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** Pairs of a record in the order of their keys, so that work has an order that does not depend on chance. */
export function ordered<T>(record: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}
