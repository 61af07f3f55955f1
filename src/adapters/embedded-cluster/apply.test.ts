import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeApplied, prune } from './apply.ts';
import { changeOf, fieldsOf, subtract, union } from './field-set.ts';
import { type Shape, shapeOf } from './shapes.ts';

const deployment = shapeOf({ apiVersion: 'apps/v1', kind: 'Deployment' });
const withEnv = (...env: readonly object[]) => ({
  spec: { template: { spec: { containers: [{ name: 'c', image: 'i', env }] } } },
});

test('items of a keyed list are owned one by one', () => {
  expect(fieldsOf(withEnv({ name: 'A', value: '1' }), deployment)).toEqual({
    'f:spec': {
      'f:template': {
        'f:spec': {
          'f:containers': {
            'k:{"name":"c"}': {
              '.': {},
              'f:name': {},
              'f:image': {},
              'f:env': { 'k:{"name":"A"}': { '.': {}, 'f:name': {}, 'f:value': {} } },
            },
          },
        },
      },
    },
  });
});

test('an item that its applier drops goes with what others changed of it, one that others added too stays', () => {
  const current = withEnv({ name: 'A', value: '1', filled: 'x' }, { name: 'B', value: '2', theirs: 'x' });
  const last = fieldsOf(withEnv({ name: 'A', value: '1' }, { name: 'B', value: '2' }), deployment);
  const applied = withEnv({ name: 'C', value: '3' });
  const foreign = fieldsOf(withEnv({ name: 'B', theirs: 'x' }), deployment);
  const kept = union(fieldsOf(applied, deployment), foreign);
  const merged = mergeApplied(current, applied, deployment);
  expect(prune(merged, last, { kept, shape: deployment })).toEqual(
    withEnv({ name: 'B', theirs: 'x' }, { name: 'C', value: '3' }),
  );
});

const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom('x', 1, true),
    fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
  ),
})).value;
const object = fc.dictionary(fc.constantFrom('a', 'b', 'c'), value, { maxKeys: 3 });
const shape: Shape | undefined = undefined;

test('what one applier applies twice is the second of the two, and nothing is left of the first', () => {
  fc.assert(
    fc.property(object, object, (first, second) => {
      const kept = fieldsOf(second, shape);
      const result = prune(mergeApplied(first, second, shape), fieldsOf(first, shape), { kept, shape });
      expect(result).toEqual(second);
    }),
  );
});

test('who owned everything and makes a change owns everything that is there then', () => {
  fc.assert(
    fc.property(object, object, (before, after) => {
      const { set = {}, removed = {} } = changeOf(before, after, shape);
      const left = subtract(subtract(fieldsOf(before, shape), set) ?? {}, removed) ?? {};
      expect(union(left, set)).toEqual(fieldsOf(after, shape));
    }),
  );
});
