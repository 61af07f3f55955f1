import { isDeepStrictEqual } from 'node:util';
import { type FieldSet, fieldAt } from './field-set.ts';
import { type Part, partsOf } from './parts.ts';
import type { Shape } from './shape.ts';

/** What became of the fields of an object. Objects and lists are fields themselves when they come or go. */
export interface FieldChange {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** What a change did, all the way down. */
export function changeOf(before: unknown, after: unknown, shape: Shape | undefined): FieldChange {
  const change = { added: {}, modified: {}, removed: {} } as Record<
    keyof FieldChange,
    Record<string, FieldSet>
  >;
  if (isDeepStrictEqual(before, after)) return change;
  const old = partsOf(before, shape) ?? new Map<string, Part>();
  const now = partsOf(after, shape) ?? new Map<string, Part>();
  for (const step of new Set([...old.keys(), ...now.keys()])) {
    const [was, is] = [old.get(step), now.get(step)];
    const [value, next] = [was?.value, is?.value];
    const beneath = changeOf(value, next, (is ?? was)?.shape);
    const isLeaf = !hasParts(was) && !hasParts(is);
    const itself = {
      added: value === undefined,
      modified: isLeaf && value !== undefined && next !== undefined && !isDeepStrictEqual(value, next),
      removed: next === undefined,
    };
    for (const what of ['added', 'modified', 'removed'] as const) {
      const field = fieldAt(itself[what], beneath[what]);
      if (field) change[what][step] = field;
    }
  }
  return change;
}

const hasParts = (part: Part | undefined): boolean =>
  part !== undefined && (partsOf(part.value, part.shape)?.size ?? 0) > 0;
