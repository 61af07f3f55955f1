import {
  type FieldSet,
  fieldsOf,
  intersect,
  isEmpty,
  subtract,
  union,
  withNamedFields,
  withoutFields,
} from './field-set.ts';
import { isJsonObject } from './merge-patch.ts';
import { partsOf } from './parts.ts';
import { memberShape, type Shape } from './shape.ts';

/** `applied` laid over `current`: objects by key, keyed lists by item, sets by value; everything else is replaced. */
export function mergeApplied(current: unknown, applied: unknown, shape: Shape | undefined): unknown {
  if (Array.isArray(applied)) return mergeList(Array.isArray(current) ? current : [], applied, shape);
  // A null takes nothing away from what has parts: they are others' until they are dropped.
  if (applied === null && (partsOf(current, shape)?.size ?? 0) > 0) return current;
  if (!isJsonObject(applied) || !isJsonObject(current) || shape?.type === 'atomic') return applied;
  const merged = Object.entries(applied).map(
    ([key, value]) => [key, mergeApplied(current[key], value, memberShape(shape, key))] as const,
  );
  return { ...current, ...Object.fromEntries(merged) };
}

function mergeList(
  current: readonly unknown[],
  applied: readonly unknown[],
  shape: Shape | undefined,
): unknown[] {
  const old = partsOf(current, shape);
  const now = partsOf(applied, shape);
  if (!old || !now) return [...applied];
  return mergedOrder([...old.keys()], [...now.keys()]).map((step) => {
    const before = old.get(step)?.value;
    const after = now.get(step);
    return after ? mergeApplied(before, after.value, after.shape) : before;
  });
}

/**
 * The order of a merged list: the applier's items as it lists them, and before each of them those items of others that
 * stood before it. An item of the current list that comes too early for the applier waits for its turn.
 */
function mergedOrder(current: readonly string[], applied: readonly string[]): string[] {
  const known = new Set(current);
  const wanted = new Set(applied);
  const turns = applied.filter((step) => known.has(step));
  const merged = new Set<string>();
  let place = 0;
  for (const step of applied) {
    for (; place < current.length && current[place] !== step; place += 1) {
      const other = current[place] ?? '';
      if (!wanted.has(other)) merged.add(other);
      else if (!merged.has(other) && turns[0] === other) break;
    }
    merged.add(step);
    if (turns[0] === step) turns.shift();
  }
  for (const other of current.slice(place)) if (!wanted.has(other)) merged.add(other);
  return [...merged];
}

/** Who owned what before an apply, and what is owned after it. */
interface Ownership {
  /** What the applier said the last time. */
  readonly last: FieldSet;
  /** What anybody owns now, the applier by what it says now. */
  readonly owned: FieldSet;
  readonly shape: Shape | undefined;
}

/**
 * `merged` without what its applier no longer says, as far as nobody owns it. What goes takes along what the server had filled in
 * beneath it; what others own stays, and so does what nobody has ever owned.
 */
export function prune(merged: unknown, { last, owned, shape }: Ownership): unknown {
  if (isEmpty(last)) return merged;
  const fields = (value: unknown) => withNamedFields(fieldsOf(value, shape), shape);
  const all = fields(merged);
  const said = withNamedFields(last, shape);
  const bare = withoutFields(merged, said, shape);
  const kept = union(fields(bare), withNamedFields(owned, shape));
  const held = withoutFields(merged, subtract(all, kept), shape);
  return withoutFields(merged, intersect(subtract(all, fields(held)), said), shape);
}
