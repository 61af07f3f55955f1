import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../resources/kube/object.ts';
import { type FieldChange, type FieldSet, isLeaf, subtract, union } from './field-set.ts';

/** One line of `metadata.managedFields`: what a manager set, by applying it (a later apply may drop it) or otherwise. */
export interface FieldOwner {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly time: string;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: FieldSet;
}

/** Who writes, and when (RFC 3339). */
export interface Writer {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly time: string;
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

/** What the writer applied the last time. */
export function ownFields(owners: readonly FieldOwner[], writer: Writer): FieldSet {
  return owners.find((owner) => isSame(owner, writer))?.fieldsV1 ?? {};
}

/**
 * The owners after a change: what was set belongs to the writer, what is gone to nobody. An apply owns exactly what it
 * said (`applied`), changed or not; other writes add what they changed to what they own.
 */
export function nextOwners(
  owners: readonly FieldOwner[],
  change: FieldChange,
  by: Writer & { readonly apiVersion: string; readonly applied?: FieldSet },
): FieldOwner[] {
  const before = owners.find((owner) => isSame(owner, by));
  const mine = by.applied ?? union(minus(before?.fieldsV1 ?? {}, change.removed), change.set ?? {});
  const { manager, operation, apiVersion, time } = by;
  const next: FieldOwner = isDeepStrictEqual(before?.fieldsV1, mine)
    ? (before as FieldOwner)
    : { manager, operation, apiVersion, time, fieldsType: 'FieldsV1', fieldsV1: mine };
  const lines = before ? owners : [...owners, next];
  return lines
    .flatMap((owner) => (isSame(owner, by) ? next : without(owner, change)))
    .filter((owner) => !isLeaf(owner.fieldsV1));
}

function without(owner: FieldOwner, change: FieldChange): FieldOwner {
  if (!change.set && !change.removed) return owner;
  return { ...owner, fieldsV1: minus(minus(owner.fieldsV1, change.set), change.removed) };
}

const minus = (fields: FieldSet, taken: FieldSet | undefined) =>
  taken ? (subtract(fields, taken) ?? {}) : fields;

const isSame = (owner: FieldOwner, writer: Writer) =>
  owner.manager === writer.manager && owner.operation === writer.operation;
