import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mergePatchOf } from './merge-patch.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
const isObject = (value: unknown): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** RFC 7396, section 2, as it stands there. */
function apply(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, apply(result.get(name), value) as Json);
  }
  return Object.fromEntries(result);
}

// A spec holds no nulls: the API server drops them.
const names = fc.constantFrom('a', 'b', 'toString', 'constructor', 'x1');
const { tree } = fc.letrec((tie) => ({
  tree: fc.dictionary(
    names,
    fc.oneof(
      { maxDepth: 3 },
      fc.string(),
      fc.integer(),
      fc.array(fc.integer(), { maxLength: 3 }),
      tie('tree'),
    ),
    { noNullPrototype: true },
  ),
}));

it('turns any object into any other', () => {
  fc.assert(
    fc.property(tree, tree, (before, after) => {
      const patch = mergePatchOf(
        before as object as Record<string, unknown>,
        after as object as Record<string, unknown>,
      );
      expect(apply(before, patch ?? {})).toEqual(after);
    }),
  );
});

it('is nothing for what is the same', () => {
  fc.assert(
    fc.property(tree, (object) => {
      const same = object as object as Record<string, unknown>;
      expect(mergePatchOf(same, structuredClone(same))).toBeUndefined();
    }),
  );
});
