import { type FieldSet, partsOf } from './field-set.ts';
import { isJsonObject, type Json } from './merge-patch.ts';
import { memberShape, type Shape } from './shapes.ts';

/** `applied` laid over `current`: objects by key, keyed lists by item, sets by value; everything else is replaced. */
export function mergeApplied(current: unknown, applied: unknown, shape: Shape | undefined): unknown {
  if (Array.isArray(applied)) return mergeList(Array.isArray(current) ? current : [], applied, shape);
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

/**
 * `value` without what the applier owned (`last`) and nobody does any more (`kept`: its new fields and everybody
 * else's). A member of which nothing is owned any longer goes whole, with what the server had filled in beneath it; so
 * does an item of a list that nobody else has added, though others may have changed fields of it.
 */
export function prune(
  value: unknown,
  last: FieldSet,
  context: { kept: FieldSet; shape: Shape | undefined },
): unknown {
  const { kept, shape } = context;
  const parts = partsOf(value, shape);
  if (!parts) return value;
  const left = new Map<string, unknown>();
  for (const [step, part] of parts) {
    const owned = last[step];
    const still = kept[step];
    if (owned === undefined) left.set(step, part.value);
    else if (still && !(owned['.'] && !still['.'])) {
      left.set(step, prune(part.value, owned, { kept: still, shape: part.shape }));
    }
  }
  return assemble(value, left);
}

function assemble(value: unknown, left: ReadonlyMap<string, unknown>): Json | readonly unknown[] {
  if (Array.isArray(value)) return [...left.values()];
  return Object.fromEntries([...left].map(([step, member]) => [step.slice('f:'.length), member]));
}
