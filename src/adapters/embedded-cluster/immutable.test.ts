import { expect, test } from 'vitest';
import type { KubeObject } from '../../resources/kube/object.ts';
import { immutableMistakes } from './immutable.ts';

const object = (kind: string, more: object): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'o' },
  ...more,
});
const pod = (spec: object) =>
  object('Pod', { spec: { containers: [{ name: 'c', image: 'i' }], tolerations: [A], ...spec } });
const A = { key: 'a', operator: 'Exists' };
const B = { key: 'b', operator: 'Exists' };

test.each([
  ['its image', { containers: [{ name: 'c', image: 'j' }] }, []],
  ['its time limit', { activeDeadlineSeconds: 1 }, []],
  ['what it tolerates, by more', { tolerations: [B, A] }, []],
  ['what it tolerates, by less', { tolerations: [B] }, ['spec.tolerations: field is immutable']],
  ['a field that was not there', { hostname: 'x' }, ['spec.hostname: field is immutable']],
  ['its containers', { containers: [] }, ['spec.containers: field is immutable']],
])('a Pod may or may not change %s', (_, change, mistakes) => {
  expect(immutableMistakes(pod({}), pod(change))).toEqual(mistakes);
});

test('data that is immutable stays so, other data may become so', () => {
  const map = (data: object, immutable?: boolean) =>
    object('ConfigMap', { data, ...(immutable === undefined ? {} : { immutable }) });
  expect(immutableMistakes(map({ a: '1' }), map({ a: '2' }, true))).toEqual([]);
  expect(immutableMistakes(map({ a: '1' }, true), map({ a: '2' }))).toEqual([
    'data: field is immutable',
    'immutable: field is immutable',
  ]);
});
