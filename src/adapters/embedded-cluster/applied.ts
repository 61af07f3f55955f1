import type { KubeObject } from '../../resources/kube/object.ts';
import { mergeApplied, prune } from './apply.ts';
import { changeOf, type FieldChange } from './field-change.ts';
import { foreignFields, ownersOf, ownFields, type Writer } from './field-owners.ts';
import { type FieldSet, fieldsOf, subtract, union } from './field-set.ts';
import { ownable, owned } from './ownership.ts';
import { shapeOf } from './shapes.ts';

/** What an apply comes to, before any default is filled in. */
export interface Applied {
  /** The object as the apply finds it. */
  readonly before: KubeObject;
  readonly wanted: KubeObject;
  readonly change: FieldChange;
}

/** `said` applied to an object by its writer: merged into it, without what the writer said the last time and does not any more. */
export function applied(object: KubeObject, said: KubeObject, writer: Writer): Applied {
  const shape = shapeOf(object);
  const before = owned(object, writer.time);
  const owners = ownersOf(before);
  const wanted = prune(mergeApplied(before, said, shape), {
    last: ownFields(owners, writer),
    owned: union(fieldsOf(said, shape), foreignFields(owners, writer)),
    shape,
  }) as KubeObject;
  return { before, wanted, change: changeOf(ownable(before), ownable(wanted), shape) };
}

/** The fields that an apply says. That there is metadata says nothing. */
export function saidFields(said: KubeObject): FieldSet {
  return subtract(fieldsOf(ownable(said), shapeOf(said)), { 'f:metadata': {} });
}
