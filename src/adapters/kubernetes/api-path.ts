import { SlessError } from '../../errors.ts';
import type { ObjectRef, Query } from '../../ports/cluster.ts';

/** Where objects of a kind are: in one namespace or, without one, in all of them. */
type Place = Pick<Query, 'kind' | 'namespace'>;

/** Path of one object, with its subresource where one is named. */
export function objectPath(ref: ObjectRef, subresource?: string): string {
  const path = `${homePath(ref)}/${segment(ref.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** Path of the collection that one object lies in: of a namespaced kind only in a namespace. */
export function homePath(place: Place): string {
  if (place.kind.namespaced && !place.namespace)
    throw new SlessError('Invalid', `a ${place.kind.kind} lies in a namespace, and none is named`);
  return collectionPath(place);
}

/** Path of the objects of a kind. A namespace that the kind does not have is left out. */
export function collectionPath({ kind, namespace }: Place): string {
  const root = kind.apiVersion.includes('/') ? `/apis/${kind.apiVersion}` : `/api/${kind.apiVersion}`;
  const inside = kind.namespaced && namespace !== undefined ? `/namespaces/${segment(namespace)}` : '';
  return `${root}${inside}/${kind.plural}`;
}

/** One segment of a path. Dots alone would climb in it, however they are encoded. */
function segment(name: string): string {
  if (/^\.{0,2}$/.test(name)) throw new SlessError('Invalid', `"${name}" is no name of an object`);
  return encodeURIComponent(name);
}

/** What chooses among the objects of a place, as parameters of a request. */
export function selectors(query: Query): { labelSelector?: string; fieldSelector?: string } {
  const labels = labelSelector(query);
  return {
    ...(labels === undefined ? {} : { labelSelector: labels }),
    // By this form of it the API server grants a list or a watch to whoever may read that one name.
    ...(query.name === undefined ? {} : { fieldSelector: `metadata.name=${query.name}` }),
  };
}

/** The label selector of a query, absent when it has none. Sorted, so that equal queries look equal to the server. */
function labelSelector({ labels }: Pick<Query, 'labels'>): string | undefined {
  const terms = Object.entries(labels ?? {}).map(([name, value]) => `${name}=${value}`);
  return terms.length === 0 ? undefined : terms.sort().join(',');
}
