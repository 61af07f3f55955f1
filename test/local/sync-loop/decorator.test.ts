import { afterEach, expect, test, vi } from 'vitest';
import { KINDS } from '../../../src/resources/kube/kinds.ts';
import { configMapChild, createWorld, decorator, type Hook, type World } from './world.ts';

const { Trigger: TRIGGER, ConfigMap: CONFIG_MAP } = KINDS;

let world: World;
afterEach(() => world.close());

const open = async (hook: Hook, extra = '') => {
  world = await createWorld({ controllers: decorator(extra), hooks: { '/decorate/trigger': hook } });
};

test('a hook is sent the object, its attachments and what is related', async () => {
  await open(() => ({ attachments: [] }));
  const object = await world.make(TRIGGER, 't');
  await world.idle();
  expect(world.calls[0]?.request).toEqual({
    controller: expect.objectContaining({ kind: 'DecoratorController' }),
    object,
    attachments: { 'ConfigMap.v1': {} },
    related: {},
    finalizing: false,
  });
  expect(world.calls).toHaveLength(1);
  expect(world.writes).toEqual([]);
});

test('labels and annotations are set, null removes, others stay, and the same again writes nothing', async () => {
  await open(({ object }) => ({
    labels: { enabled: String((object.spec as { enabled: boolean }).enabled), dropped: null },
    annotations: { note: 'x' },
    attachments: [],
  }));
  await world.make(TRIGGER, 't', { metadata: { labels: { dropped: 'yes', theirs: 'yes' } } });
  await world.idle();
  const { labels, annotations, generation } = (await world.get(TRIGGER, 't'))?.metadata ?? {};
  expect(labels).toEqual({ enabled: 'true', theirs: 'yes' });
  expect(annotations).toEqual({ note: 'x' });
  expect(generation).toBe(1);
  expect(world.writes).toEqual(['patch Trigger t']);
  expect(world.calls).toHaveLength(2);
  await world.patch(TRIGGER, 't', { spec: { enabled: false } });
  await world.idle();
  expect((await world.get(TRIGGER, 't'))?.metadata.labels).toMatchObject({ enabled: 'false' });
  expect(world.writes).toEqual(['patch Trigger t', 'patch Trigger t']);
  expect(world.calls).toHaveLength(4);
});

test('the status stays without one in the answer, and is replaced by one', async () => {
  let status: object | undefined;
  await open(() => ({ attachments: [], ...(status ? { status } : {}) }));
  await world.make(TRIGGER, 't');
  await world.patch(TRIGGER, 't', { status: { message: 'theirs' } }, { subresource: 'status' });
  await world.idle();
  expect((await world.get(TRIGGER, 't'))?.status).toEqual({ message: 'theirs', observedGeneration: -1 });
  status = { active: true };
  await world.patch(TRIGGER, 't', { metadata: { annotations: { touched: 'yes' } } });
  await world.idle();
  expect((await world.get(TRIGGER, 't'))?.status).toEqual({ active: true });
});

test('attachments carry the mark of their decorator, follow the answer and go with the object', async () => {
  let data: Record<string, string> | undefined = { a: '1' };
  await open(() => ({ attachments: data ? [configMapChild('c', data)] : [] }));
  const object = await world.make(TRIGGER, 't');
  await world.idle();
  const made = await world.get(CONFIG_MAP, 'c');
  expect(made?.metadata.annotations).toEqual({ 'metacontroller.k8s.io/decorator-controller': 'triggers' });
  expect(made?.metadata.labels).toBeUndefined();
  expect(made?.metadata.ownerReferences).toMatchObject([{ uid: object.metadata.uid, controller: true }]);
  expect(world.calls.at(-1)?.request.attachments).toEqual({ 'ConfigMap.v1': { 'ns/c': made } });
  data = { b: '2' };
  await world.patch(TRIGGER, 't', { metadata: { annotations: { touched: '1' } } });
  await world.idle();
  expect((await world.get(CONFIG_MAP, 'c'))?.data).toEqual({ b: '2' });
  data = undefined;
  await world.patch(TRIGGER, 't', { metadata: { annotations: { touched: '2' } } });
  await world.idle();
  expect(await world.get(CONFIG_MAP, 'c')).toBeUndefined();
});

test('only objects that both selectors select are decorated', async () => {
  await open(
    () => ({ attachments: [] }),
    ', labelSelector: { matchLabels: { on: "yes" } }, annotationSelector: { matchAnnotations: { here: "yes" } }',
  );
  await world.make(TRIGGER, 'label', { metadata: { labels: { on: 'yes' } } });
  await world.make(TRIGGER, 'both', { metadata: { labels: { on: 'yes' }, annotations: { here: 'yes' } } });
  await world.idle();
  expect(world.calls.map(({ request }) => request.object.metadata.name)).toEqual(['both']);
});

test('an object that changed meanwhile is looked at again, without an error', async () => {
  await open(async ({ object }) => {
    if (object.metadata.labels === undefined && world.calls.length === 1) {
      await world.patch(TRIGGER, 't', { metadata: { annotations: { raced: 'yes' } } });
    }
    return { labels: { done: 'yes' }, attachments: [] };
  });
  await world.make(TRIGGER, 't');
  await world.idle();
  expect((await world.get(TRIGGER, 't'))?.metadata).toMatchObject({
    labels: { done: 'yes' },
    annotations: { raced: 'yes' },
  });
  expect(world.warnings).toEqual([]);
});

test('an unknown member of the answer and a null among the attachments fail as they do in Metacontroller', async () => {
  let bad: object = { children: [] };
  await open(() => bad);
  await world.make(TRIGGER, 't');
  await vi.waitFor(() => expect(world.warnings[0]).toContain('children'));
  bad = { attachments: [null] };
  await vi.waitFor(() => expect(world.crashes).toHaveLength(1));
});
