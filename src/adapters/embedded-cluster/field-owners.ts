import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../resources/kube/object.ts';
import type { FieldChange } from './field-change.ts';
import { type FieldSet, isEmpty, subtract, union } from './field-set.ts';

/** One line of `metadata.managedFields`: what a manager set, by applying it (a later apply may drop it) or otherwise. */
export interface FieldOwner extends Writer {
  readonly apiVersion: string;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: FieldSet;
}

/** Who writes, and when (RFC 3339). */
export interface Writer {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly time: string;
  readonly subresource?: 'status';
}

/** Who owns the fields of an object. Objects come from this cluster's own store, hence the cast. */
export function ownersOf(object: KubeObject | undefined): readonly FieldOwner[] {
  return (object?.metadata.managedFields ?? []) as readonly FieldOwner[];
}

/** The fields of everybody but the writer. */
export function foreignFields(owners: readonly FieldOwner[], writer: Writer): FieldSet {
  return owners
    .filter((owner) => !isSame(owner, writer))
    .reduce((all, owner) => union(all, owner.fieldsV1), {});
}

/** What the writer said the last time. */
export function ownFields(owners: readonly FieldOwner[], writer: Writer): FieldSet {
  return owners.find((owner) => isSame(owner, writer))?.fieldsV1 ?? {};
}

/**
 * The owners after a change: what was set belongs to the writer, what is gone to nobody. An apply owns exactly what it
 * said (`applied`), changed or not; other writes add what they changed to what they own.
 */
export function nextOwners(
  owners: readonly FieldOwner[],
  { added, modified, removed }: FieldChange,
  by: Writer & { readonly apiVersion: string; readonly applied?: FieldSet },
): FieldOwner[] {
  const set = union(added, modified);
  const { applied, ...writer } = by;
  const before = owners.find((owner) => isSame(owner, by));
  const mine = applied ?? subtract(union(before?.fieldsV1 ?? {}, set), removed);
  const next: FieldOwner = isDeepStrictEqual(before?.fieldsV1, mine)
    ? (before as FieldOwner)
    : { ...writer, fieldsType: 'FieldsV1', fieldsV1: mine };
  const lines = before ? owners : [...owners, next];
  const taken = union(set, removed);
  return lines
    .map((owner) => (isSame(owner, by) ? next : without(owner, taken)))
    .filter((owner) => !isEmpty(owner.fieldsV1));
}

const without = (owner: FieldOwner, taken: FieldSet): FieldOwner =>
  isEmpty(taken) ? owner : { ...owner, fieldsV1: subtract(owner.fieldsV1, taken) };

const isSame = (owner: Writer, writer: Writer) =>
  owner.manager === writer.manager &&
  owner.operation === writer.operation &&
  owner.subresource === writer.subresource;
