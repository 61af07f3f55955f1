import { afterEach, expect, test, vi } from 'vitest';
import { KINDS } from '../../../src/resources/kube/kinds.ts';
import { answer, composite, createWorld, type Hook, type World } from './world.ts';

const { Function: FUNCTION, Trigger: TRIGGER, ConfigMap: CONFIG_MAP, Namespace: NAMESPACE } = KINDS;

let world: World;
afterEach(() => world.close());

const open = async (customize: Hook, more: object = {}) => {
  world = await createWorld({
    controllers: composite({ customize: true, parent: ', ignoreStatusChanges: true' }),
    hooks: { '/sync/function': () => ({ children: [], status: {} }), '/customize/function': customize },
    ...more,
  });
};
const triggersOf = (name: string) => ({
  apiVersion: TRIGGER.apiVersion,
  resource: 'triggers',
  namespace: 'ns',
  labelSelector: { matchLabels: { 'sless.dev/function': name } },
});
const triggerOf = (name: string) => ({ metadata: { labels: { 'sless.dev/function': name } } });
const syncs = () => world.calls.filter(({ path }) => path === '/sync/function');
const customizes = () => world.calls.filter(({ path }) => path === '/customize/function');
const lastRelated = () => syncs().at(-1)?.request.related;

test('related objects come in a group a rule, empty groups too, and customize is asked with the parent alone', async () => {
  await open(({ parent }) => ({
    relatedResources: [
      triggersOf(parent.metadata.name),
      { apiVersion: 'v1', resource: 'namespaces', names: [parent.metadata.namespace] },
    ],
  }));
  await world.make(FUNCTION, 'f');
  await world.idle();
  expect(Object.keys(customizes()[0]?.request ?? {}).sort()).toEqual(['controller', 'parent']);
  expect(lastRelated()).toEqual({
    'Trigger.sless.dev/v1alpha1': {},
    'Namespace.v1': { ns: expect.anything() },
  });
});

test('a change of a related object syncs the parents that it concerned or concerns, and no other', async () => {
  await open(({ parent }) => ({ relatedResources: [triggersOf(parent.metadata.name)] }));
  for (const name of ['f', 'g', 'h']) await world.make(FUNCTION, name);
  await world.idle();
  await world.make(TRIGGER, 't', triggerOf('f'));
  await world.idle();
  expect(syncs().at(-1)?.request.parent.metadata.name).toBe('f');
  expect(Object.keys(lastRelated()?.['Trigger.sless.dev/v1alpha1'] ?? {})).toEqual(['ns/t']);
  const { length } = syncs();
  await world.patch(TRIGGER, 't', { metadata: { labels: { 'sless.dev/function': 'g' } } });
  await world.idle();
  const names = syncs()
    .slice(length)
    .map(({ request }) => request.parent.metadata.name);
  expect(names.sort()).toEqual(['f', 'g']);
  await world.cluster.delete({ kind: TRIGGER, namespace: 'ns', name: 't' });
  await world.idle();
  expect(syncs().at(-1)?.request.parent.metadata.name).toBe('g');
  expect(lastRelated()).toEqual({ 'Trigger.sless.dev/v1alpha1': {} });
});

test('a status of a related object counts as a change', async () => {
  await open(({ parent }) => ({ relatedResources: [triggersOf(parent.metadata.name)] }));
  await world.make(TRIGGER, 't', triggerOf('f'));
  await world.make(FUNCTION, 'f');
  await world.idle();
  const { length } = syncs();
  await world.patch(TRIGGER, 't', { status: { active: true } }, { subresource: 'status' });
  await world.idle();
  expect(syncs()).toHaveLength(length + 1);
});

test('customize is asked once a generation, and again after 20 minutes', async () => {
  let now = Date.now();
  await open(({ parent }) => ({ relatedResources: [triggersOf(parent.metadata.name)] }), {
    clock: { now: () => now },
  });
  await world.make(FUNCTION, 'f');
  await world.idle();
  await world.patch(FUNCTION, 'f', { metadata: { labels: { a: 'b' }, annotations: { a: 'b' } } });
  await world.idle();
  expect(customizes()).toHaveLength(1);
  await world.patch(FUNCTION, 'f', { spec: { replicas: 2 } });
  await world.idle();
  expect(customizes()).toHaveLength(2);
  now += 20 * 60_000 + 1;
  await world.patch(FUNCTION, 'f', { metadata: { labels: { a: 'c' } } });
  await world.idle();
  expect(customizes()).toHaveLength(3);
});

test('a failed customize is not remembered, and there is no sync without it', async () => {
  let asked = 0;
  await open(() => {
    asked += 1;
    return asked < 3 ? answer(500) : { relatedResources: [] };
  });
  await world.make(FUNCTION, 'f');
  await vi.waitFor(() => expect(syncs()).toHaveLength(1));
  expect(customizes().length).toBeGreaterThanOrEqual(3);
  expect(lastRelated()).toEqual({});
});

test.each([
  [
    'a kind that the cluster does not have',
    { apiVersion: 'example.com/v1', resource: 'things' },
    'no resource things',
  ],
  ['names beside a selector', { ...triggersOf('f'), names: ['a'] }, 'names and a selector'],
  [
    'a namespace beside a namespaceSelector',
    { apiVersion: 'v1', resource: 'configmaps', namespace: 'ns', namespaceSelector: {} },
    'namespace and namespaceSelector',
  ],
  ['a member that no rule has', { ...triggersOf('f'), fieldSelector: 'x' }, 'fieldSelector'],
])('%s in a rule is an error before any sync', async (_, rule, expected) => {
  await open(() => ({ relatedResources: [rule] }));
  await world.make(FUNCTION, 'f');
  await vi.waitFor(() => expect(world.warnings[0]).toContain(expected));
  expect(syncs()).toEqual([]);
});

test('a null among the rules ends the loop', async () => {
  await open(() => ({ relatedResources: [null] }));
  await world.make(FUNCTION, 'f');
  await vi.waitFor(() => expect(world.crashes).toHaveLength(1));
});

test('a rule without a namespace matches all namespaces, one with a selector those that it selects', async () => {
  let rule: object = { apiVersion: 'v1', resource: 'configmaps', labelSelector: { matchLabels: { x: 'y' } } };
  await open(() => ({ relatedResources: [rule] }));
  await world.make(NAMESPACE, 'chosen', { metadata: { labels: { chosen: 'yes' } } });
  for (const namespace of ['ns', 'chosen', 'default']) {
    await world.make(CONFIG_MAP, 'c', { metadata: { namespace, labels: { x: 'y' } } });
  }
  await world.make(FUNCTION, 'f');
  await world.idle();
  expect(Object.keys(lastRelated()?.['ConfigMap.v1'] ?? {}).sort()).toEqual([
    'chosen/c',
    'default/c',
    'ns/c',
  ]);
  rule = { ...rule, namespaceSelector: { matchExpressions: [{ key: 'chosen', operator: 'Exists' }] } };
  await world.patch(FUNCTION, 'f', { spec: { replicas: 2 } });
  await world.idle();
  expect(Object.keys(lastRelated()?.['ConfigMap.v1'] ?? {})).toEqual(['chosen/c']);
  const { length } = syncs();
  await world.patch(CONFIG_MAP, 'c', { data: { a: 'b' } });
  await world.idle();
  expect(syncs()).toHaveLength(length);
});
