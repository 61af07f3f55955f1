import type { ObjectMeta } from '../../resources/kube/object.ts';
import { isJsonObject, type Json } from './merge-patch.ts';
import { memberShape, type Shape } from './shape.ts';

/** Members that the API server's types leave out when they are false, zero or empty. Others keep such a value. */
const OMITTED_ZERO = new Set([
  ...['hostIPC', 'hostNetwork', 'hostPID', 'serviceAccountName', 'schedulerName', 'hostname', 'subdomain'],
  ...['nodeName', 'priorityClassName'],
  ...['hostPort', 'readOnly', 'stdin', 'stdinOnce', 'subPath', 'tty', 'workingDir', 'initialDelaySeconds'],
  ...['minReadySeconds', 'paused', 'nodePort', 'publishNotReadyAddresses', 'medium'],
]);

/**
 * A built-in object as the API server's types hold it: without nulls, empty lists and empty maps, and without zeros where they are left
 * out. An entry of a map that is null is an empty text.
 */
export function tidy(value: unknown, shape?: Shape): unknown {
  if (Array.isArray(value))
    return value.map((item) => tidy(item, shape?.type === 'list' ? shape.item : undefined));
  if (!isJsonObject(value)) return value;
  if (isMap(shape))
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, entry ?? '']));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, member]) => !isLeftOut(key, member, memberShape(shape, key)))
      .map(([key, member]) => [key, tidy(member, memberShape(shape, key))]),
  );
}

const isMap = (shape: Shape | undefined) =>
  shape?.type === 'map' || (shape?.type === 'atomic' && shape.isMap);

function isLeftOut(key: string, member: unknown, shape: Shape | undefined): boolean {
  if (member === null) return true;
  if (isEmptyList(member)) return !(shape?.type === 'atomic' && shape.keepsEmpty);
  if (isJsonObject(member)) return isMap(shape) === true && !isFilled(member);
  return (member === false || member === 0 || member === '') && OMITTED_ZERO.has(key);
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

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;
const isFilled = (map: unknown): map is Json => isJsonObject(map) && Object.keys(map).length > 0;
