import { expect, test } from 'vitest';
import { KINDS } from '../../resources/kube/kinds.ts';
import { nullMistakes, ownSchema, unreadable } from './own-schema.ts';

const schema = ownSchema(KINDS.Function) ?? {};
const spec = (fields: object) => ({ spec: { runtime: 'nodejs20', ...fields } });

test.each([
  ['what the kind has', spec({ env: { A: '1' }, secrets: ['fn-a'], replicas: 1.5 }), []],
  ['nulls, which are judged later', spec({ env: null, replicas: null }), []],
  ['a field that is none', spec({ replcas: 3 }), ['spec.replcas: is not a field']],
  ['a field of the whole that is none', { surprise: 1 }, ['.surprise: is not a field']],
  ['a text for a number', spec({ replicas: 'two' }), ['spec.replicas: must be of type integer']],
  ['a number among texts', spec({ secrets: ['fn-a', 1] }), ['spec.secrets[1]: must be of type string']],
  ['a list for a map', spec({ env: [] }), ['spec.env: must be of type object']],
  ['a status of another type', { status: { phase: 1 } }, ['status.phase: must be of type string']],
])('an apply may hold or not hold %s', (_, config, mistakes) => {
  expect(unreadable(config, schema)).toEqual(mistakes);
});

test('a null stays where the schema has nothing to put in its place', () => {
  const said = { env: { A: null }, replicas: null, resources: { limits: null } };
  expect(nullMistakes(said, schema.properties?.spec, '.spec')).toEqual([
    'spec.env.A: must be of type string, not null',
    'spec.resources.limits: must be of type object, not null',
  ]);
});

test('kinds that are not ours have no schema here', () => {
  expect(ownSchema(KINDS.ConfigMap)).toBeUndefined();
  expect(ownSchema({ apiVersion: 'example.com/v1', kind: 'Function' })).toBeUndefined();
});
