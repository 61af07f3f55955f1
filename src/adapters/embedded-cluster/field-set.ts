import { partsOf } from './parts.ts';
import { memberShape, type Shape } from './shape.ts';

/**
 * A set of fields as Kubernetes writes it (`fieldsV1`): `f:name` for a member of an object, `k:{...}` for an item of a list by its
 * keys, `v:...` for a value of a set. A step that leads to `{}`, or to something that has a `.`, is itself in the set; any other is
 * only the way to what is.
 */
export interface FieldSet {
  readonly [step: string]: FieldSet;
}

/** A field that is in the set, with nothing beneath it that is. */
export const LEAF: FieldSet = Object.freeze({});

/** Whether nothing is in the set. Of a step's own set it says that the field is in it, and nothing beneath. */
export function isEmpty(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

const isIn = (set: FieldSet | undefined): boolean => set !== undefined && (isEmpty(set) || '.' in set);

/** What stands at a step: the field itself, what is beneath it, both, or nothing at all. */
export function fieldAt(itself: boolean, beneath: FieldSet): FieldSet | undefined {
  if (isEmpty(beneath)) return itself ? LEAF : undefined;
  return itself ? { '.': LEAF, ...beneath } : beneath;
}

/** Fields that are in `a`, in `b` or in both, as `keep` says. A field does not stand for what is beneath it. */
function combine(a: FieldSet, b: FieldSet, keep: (inA: boolean, inB: boolean) => boolean): FieldSet {
  const result: Record<string, FieldSet> = {};
  for (const step of new Set([...Object.keys(a), ...Object.keys(b)])) {
    if (step === '.') continue;
    const beneath = combine(a[step] ?? LEAF, b[step] ?? LEAF, keep);
    const field = fieldAt(keep(isIn(a[step]), isIn(b[step])), beneath);
    if (field) result[step] = field;
  }
  return result;
}

/** Fields of either set. */
export const union = (a: FieldSet, b: FieldSet): FieldSet => combine(a, b, (inA, inB) => inA || inB);
/** Fields of `a` that are not in `b`. */
export const subtract = (a: FieldSet, b: FieldSet): FieldSet => combine(a, b, (inA, inB) => inA && !inB);
/** Fields of both sets. */
export const intersect = (a: FieldSet, b: FieldSet): FieldSet => combine(a, b, (inA, inB) => inA && inB);

/**
 * Every field that a value sets: leaves, items of lists, entries of maps; an empty object too, but not an empty list that is merged by
 * item.
 */
export function fieldsOf(value: unknown, shape: Shape | undefined): FieldSet {
  const set: Record<string, FieldSet> = {};
  for (const [step, part] of partsOf(value, shape) ?? []) {
    const parts = partsOf(part.value, part.shape);
    const isEmptyObject = parts?.size === 0 && !Array.isArray(part.value);
    const itself = parts === undefined || isEmptyObject || !isNamedField(step, shape);
    const field = fieldAt(itself, fieldsOf(part.value, part.shape));
    if (field) set[step] = field;
  }
  return set;
}

/** Whether the step names a field that the kind has by definition, unlike the entries of a map or the items of a list. */
const isNamedField = (step: string, shape: Shape | undefined): boolean =>
  step.startsWith('f:') && shape?.type !== 'map';

/** The set with every named field on the way to what is in it: such a field goes when all of it goes. */
export function withNamedFields(set: FieldSet, shape: Shape | undefined): FieldSet {
  const result: Record<string, FieldSet> = {};
  for (const [step, inner] of Object.entries(set)) {
    if (step === '.') continue;
    const beneath = withNamedFields(inner, shapeAt(shape, step));
    const field = fieldAt(isIn(inner) || isNamedField(step, shape), beneath);
    if (field) result[step] = field;
  }
  return result;
}

function shapeAt(shape: Shape | undefined, step: string): Shape | undefined {
  if (step.startsWith('f:')) return memberShape(shape, step.slice('f:'.length));
  return shape?.type === 'list' ? shape.item : undefined;
}

/**
 * The value without the fields of the set. An object or list that was looked into and has nothing left is null: that is what becomes of
 * one that somebody owns as such, when another has owned all that was in it.
 */
export function withoutFields(value: unknown, set: FieldSet, shape: Shape | undefined): unknown {
  const parts = partsOf(value, shape);
  if (!parts) return value;
  const left: [step: string, value: unknown][] = [];
  for (const [step, part] of parts) {
    const field = set[step];
    if (field === undefined) left.push([step, part.value]);
    else if (!isIn(field)) left.push([step, withoutFields(part.value, field, part.shape)]);
  }
  if (left.length === 0) return null;
  if (Array.isArray(value)) return left.map(([, item]) => item);
  return Object.fromEntries(left.map(([step, member]) => [step.slice('f:'.length), member]));
}
