import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeApplied, prune } from './apply.ts';
import { changeOf } from './field-change.ts';
import { fieldsOf, subtract, union, withNamedFields } from './field-set.ts';
import type { Shape } from './shape.ts';
import { shapeOf } from './shapes.ts';

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
  const owned = union(fieldsOf(applied, deployment), foreign);
  const merged = mergeApplied(current, applied, deployment);
  expect(prune(merged, { last, owned, shape: deployment })).toEqual(
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
      const owned = fieldsOf(second, shape);
      const merged = mergeApplied(first, second, shape);
      // Applied with a name, as every object is: something is always left.
      const named = { ...(merged as object), name: 'n' };
      const result = prune(named, {
        last: fieldsOf(first, shape),
        owned: { ...owned, 'f:name': {} },
        shape,
      });
      // An object that was emptied is null, as the server leaves it, whatever the second said of it.
      const emptied = JSON.parse(JSON.stringify(result), (_, member) => member ?? {});
      expect(emptied).toEqual({ ...second, name: 'n' });
    }),
  );
});

test('an object whose parts all went stays as null when somebody owns it as such', () => {
  const owner = { 'f:a': {} };
  const pruned = prune({ a: { b: 1 }, c: 1 }, { last: { 'f:a': { 'f:b': {} } }, owned: owner, shape });
  expect(pruned).toEqual({ a: null, c: 1 });
});

test('who owned everything and makes a change owns everything that is there then', () => {
  fc.assert(
    fc.property(object, object, (before, after) => {
      const { added, modified, removed } = changeOf(before, after, shape);
      const whole = changeOf({}, before, shape).added;
      const left = union(subtract(whole, removed), union(added, modified));
      const named = withNamedFields(left, shape);
      expect(named).toEqual(withNamedFields(fieldsOf(after, shape), shape));
    }),
  );
});
