import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from './merge-patch.ts';
import { memberShape, type Shape } from './shapes.ts';

/**
 * A set of fields as Kubernetes writes it (`fieldsV1`): `f:name` for a member, `k:{...}` for an item of a list by its
 * keys, `v:...` for a value of a set, `.` for the thing itself. An empty object is a field that is owned whole.
 */
export interface FieldSet {
  readonly [path: string]: FieldSet;
}

/** A field owned whole. */
const LEAF: FieldSet = Object.freeze({});

/** What a change did: fields that were set to something else, and fields that are gone. Absent: none. */
export interface FieldChange {
  readonly set?: FieldSet;
  readonly removed?: FieldSet;
}

/** The parts that a value of that shape is made of, each with the path step that names it; `undefined` for a leaf. */
export function partsOf(value: unknown, shape: Shape | undefined): Map<string, Part> | undefined {
  if (Array.isArray(value))
    return shape?.type === 'list' || shape?.type === 'set' ? items(value, shape) : undefined;
  if (!isJsonObject(value) || shape?.type === 'atomic') return undefined;
  const entries = Object.entries(value);
  return new Map(
    entries.map(([key, member]) => [`f:${key}`, { value: member, shape: memberShape(shape, key) }] as const),
  );
}

/** A member of an object, or an item of a list. */
export interface Part {
  readonly value: unknown;
  readonly shape: Shape | undefined;
}

function items(list: readonly unknown[], shape: Shape & { type: 'list' | 'set' }): Map<string, Part> {
  if (shape.type === 'set') {
    return new Map(list.map((value) => [`v:${JSON.stringify(value)}`, { value, shape: undefined }]));
  }
  return new Map(
    list.map((value) => {
      const item = isJsonObject(value) ? value : {};
      const keys = shape.keys.map(({ name, absent }) => [name, item[name] ?? absent ?? null] as const);
      return [
        `k:${JSON.stringify(Object.fromEntries(keys.sort(([a], [b]) => (a < b ? -1 : 1))))}`,
        { value, shape: shape.item },
      ];
    }),
  );
}

/** Every field that a value sets. */
export function fieldsOf(value: unknown, shape: Shape | undefined): FieldSet {
  const parts = partsOf(value, shape);
  if (parts === undefined || parts.size === 0) return LEAF;
  const set: Record<string, FieldSet> = {};
  for (const [step, part] of parts) if (!isEmptyList(part)) set[step] = ownedPart(step, part);
  return set;
}

/** A list that is merged by item and has none sets nothing, unlike an empty object. */
function isEmptyList({ value, shape }: Part): boolean {
  return Array.isArray(value) && value.length === 0 && (shape?.type === 'list' || shape?.type === 'set');
}

/** Fields of either set. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  const merged: Record<string, FieldSet> = { ...a };
  for (const [step, inner] of Object.entries(b)) {
    const mine = merged[step];
    merged[step] = mine ? union(mine, inner) : inner;
  }
  return merged;
}

/** Fields of `a` that are neither in `b` nor beneath one of it. `undefined` when none is left. */
export function subtract(a: FieldSet, b: FieldSet): FieldSet | undefined {
  const rest: Record<string, FieldSet> = {};
  for (const [step, inner] of Object.entries(a)) {
    const taken = b[step];
    if (taken === undefined || (isLeaf(inner) && !isLeaf(taken))) {
      rest[step] = inner;
    } else if (!isLeaf(taken)) {
      const left = subtract(inner, taken);
      if (left) rest[step] = left;
    }
  }
  return Object.keys(rest).length > 0 ? rest : undefined;
}

/** What became of the fields of `before` on the way to `after`. */
export function changeOf(before: unknown, after: unknown, shape: Shape | undefined): FieldChange {
  if (isDeepStrictEqual(before, after)) return {};
  const old = partsOf(before, shape);
  const now = partsOf(after, shape);
  if (!old?.size || !now?.size) {
    const set = isEmptyList({ value: after, shape }) ? {} : { set: fieldsOf(after, shape) };
    return { ...set, ...(old?.size ? { removed: fieldsOf(before, shape) } : {}) };
  }
  const set: Record<string, FieldSet> = {};
  const removed: Record<string, FieldSet> = {};
  for (const [step, part] of now) {
    const previous = old.get(step);
    const change = previous ? changeOf(previous.value, part.value, part.shape) : addition(step, part);
    if (change.set) set[step] = change.set;
    if (change.removed) removed[step] = change.removed;
  }
  for (const [step, part] of old) if (!now.has(step)) removed[step] = ownedPart(step, part);
  return { ...(isLeaf(set) ? {} : { set }), ...(isLeaf(removed) ? {} : { removed }) };
}

function addition(step: string, part: Part): FieldChange {
  return isEmptyList(part) ? {} : { set: ownedPart(step, part) };
}

function ownedPart(step: string, part: Part): FieldSet {
  const inner = fieldsOf(part.value, part.shape);
  return step.startsWith('k:') && !isLeaf(inner) ? { '.': LEAF, ...inner } : inner;
}

/** Whether the field is owned whole. */
export function isLeaf(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}
