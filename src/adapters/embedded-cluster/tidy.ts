import type { KubeObject, ObjectMeta } from '../../resources/kube/object.ts';
import { isJsonObject, type Json } from './merge-patch.ts';

/** Members whose empty list is kept, because the API server's types do not leave it out. */
const KEPT_EMPTY = new Set(['endpoints', 'addresses', 'rules']);

/** A built-in object as the API server's types hold it: without nulls and, but for those few, without empty lists. */
export function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, member]) => member !== null && !(isEmptyList(member) && !KEPT_EMPTY.has(key)))
      .map(([key, member]) => [key, tidy(member)]),
  );
}

/** Metadata with what a writer may say and nothing else, empty maps and lists left out. */
export function tidyMetadata(metadata: ObjectMeta): ObjectMeta {
  const { name, namespace, labels, annotations, ownerReferences, finalizers } = metadata;
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(isFilled(labels) ? { labels } : {}),
    ...(isFilled(annotations) ? { annotations } : {}),
    ...(ownerReferences?.length ? { ownerReferences } : {}),
    ...(finalizers?.length ? { finalizers } : {}),
  };
}

/** A map that is empty is left out where the API server's types leave it out. */
export function withoutEmptyData(object: KubeObject): KubeObject {
  const { data, ...rest } = object;
  return data === undefined || isFilled(data) ? object : (rest as KubeObject);
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;
const isFilled = (map: unknown): map is Json => isJsonObject(map) && Object.keys(map).length > 0;
