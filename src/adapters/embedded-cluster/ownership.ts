import type { KubeObject } from '../../resources/kube/object.ts';
import { changeOf, type FieldChange } from './field-change.ts';
import { nextOwners, ownersOf, type Writer } from './field-owners.ts';
import type { FieldSet } from './field-set.ts';
import { shapeOf } from './shapes.ts';
import { zeroOf } from './zero-objects.ts';

interface Write {
  readonly writer: Writer;
  readonly applied?: FieldSet;
  /** What the write changed, where it is not what differs between the two objects. */
  readonly change?: FieldChange;
}

/** The object with the owners of its fields after a write that made it of `before`. */
export function withOwners(object: KubeObject, before: KubeObject | undefined, write: Write): KubeObject {
  const { writer, applied } = write;
  // An object that nobody owns stays so until somebody applies to it.
  if (before && writer.operation === 'Update' && ownersOf(before).length === 0) return object;
  const part = writer.subresource === 'status' ? statusOf : ownable;
  const change = write.change ?? changeOf(part(before ?? zeroOf(object)), part(object), shapeOf(object));
  const managedFields = nextOwners(ownersOf(before), change, {
    ...writer,
    apiVersion: object.apiVersion,
    ...(applied ? { applied } : {}),
  });
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata: managedFields.length > 0 ? { ...metadata, managedFields } : metadata };
}

/**
 * The object as an apply finds it: where nobody owns anything any more, all of it has belonged to an unknown writer before the first
 * apply.
 */
export function owned(object: KubeObject, time: string): KubeObject {
  if (ownersOf(object).length > 0) return object;
  const writer = { manager: 'before-first-apply', operation: 'Update', time } as const;
  const { managedFields } = withOwners(object, undefined, { writer }).metadata;
  return { ...object, metadata: { ...object.metadata, ...(managedFields ? { managedFields } : {}) } };
}

/** What managers own but for the status: everything except what names the object and what the system writes. */
export function ownable(object: KubeObject): object {
  const { apiVersion: _a, kind: _k, status: _s, metadata, ...rest } = object;
  const { labels, annotations, ownerReferences, finalizers } = metadata;
  const said = Object.entries({ labels, annotations, ownerReferences, finalizers }).filter(
    ([, value]) => value !== undefined,
  );
  return { ...rest, metadata: Object.fromEntries(said) };
}

const statusOf = ({ status }: KubeObject): object => (status === undefined ? {} : { status });
