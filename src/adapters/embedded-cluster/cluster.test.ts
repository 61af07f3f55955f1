import { expect, test, vi } from 'vitest';
import { silentLogger } from '../../../test/contracts/silent-logger.ts';
import { SlessError } from '../../errors.ts';
import { KINDS } from '../../resources/kube/kinds.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { createEmbeddedCluster } from './cluster.ts';
import { createMemoryStore, type StateStore } from './state-store.ts';

const open = (store: StateStore = createMemoryStore(), later?: (work: () => void) => void) =>
  createEmbeddedCluster({ store, clock: Date, logger: silentLogger, ...(later ? { later } : {}) });
const configMap = (name: string, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', ...metadata },
});
const ref = (name: string) => ({ kind: KINDS.ConfigMap, namespace: 'default', name });
const ownedBy = ({ metadata: { name, uid = '' } }: KubeObject) => ({
  ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid }],
});

test('a new cluster has the namespace default, an old one keeps its own', async () => {
  const store = createMemoryStore();
  const first = await open(store).get({ kind: KINDS.Namespace, name: 'default' });
  expect(first?.status).toEqual({ phase: 'Active' });
  expect(await open(store).get({ kind: KINDS.Namespace, name: 'default' })).toEqual(first);
});

test('what is answered cannot be changed by who asked', async () => {
  const made = await open().create({ ...configMap('a'), data: { k: 'v' } });
  expect(() => Object.assign(made.data as object, { k: 'w' })).toThrow(TypeError);
  expect(() => Object.assign(made.metadata, { name: 'b' })).toThrow(TypeError);
});

test('what was handed in may be changed afterwards', async () => {
  const cluster = open();
  const data = { k: 'v' };
  await cluster.create({ ...configMap('a'), data });
  data.k = 'w';
  expect((await cluster.get(ref('a')))?.data).toEqual({ k: 'v' });
});

test('a deletion that the end of the process cut short is taken up at the next start', async () => {
  const store = createMemoryStore();
  const first = open(store, () => undefined);
  const owner = await first.create(configMap('owner'));
  await first.create(configMap('child', ownedBy(owner)));
  await first.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ending' } });
  await first.create(configMap('inside', { namespace: 'ending' }));
  await first.delete(ref('owner'));
  await first.delete({ kind: KINDS.Namespace, name: 'ending' });
  expect(await first.get(ref('child'))).toBeDefined();
  const second = open(store);
  await vi.waitFor(async () => expect(await second.get(ref('child'))).toBeUndefined());
  await vi.waitFor(async () =>
    expect(await second.get({ kind: KINDS.Namespace, name: 'ending' })).toBeUndefined(),
  );
});

test('while the collector is held back, children of an owner that is gone stay', async () => {
  const held: (() => void)[] = [];
  const cluster = open(createMemoryStore(), (work) => void held.push(work));
  const owner = await cluster.create(configMap('owner'));
  await cluster.create(configMap('child', ownedBy(owner)));
  await cluster.delete(ref('owner'));
  expect(await cluster.get(ref('child'))).toBeDefined();
  expect(cluster.quiet()).toBe(false);
  for (let work = held.shift(); work; work = held.shift()) work();
  expect(await cluster.get(ref('child'))).toBeUndefined();
});

test('a thousand children go in steps that leave room for others', async () => {
  const cluster = open();
  const owner = await cluster.create(configMap('owner'));
  for (let count = 0; count < 1000; count += 1)
    await cluster.create(configMap(`child-${count}`, ownedBy(owner)));
  await cluster.delete(ref('owner'));
  let turns = 0;
  while ((await cluster.list({ kind: KINDS.ConfigMap })).items.length > 0) {
    await new Promise(setImmediate);
    turns += 1;
  }
  expect(turns).toBeGreaterThan(3);
});

test('a write that cannot be kept is not made, and nobody is told of it', async () => {
  const memory = createMemoryStore();
  let full = false;
  const cluster = open({
    ...memory,
    save(change) {
      if (full) throw new SlessError('Unavailable', 'no space left');
      memory.save(change);
    },
  });
  const told: string[] = [];
  cluster.watch({ kind: KINDS.ConfigMap }, (event) => told.push(event.type));
  const made = await cluster.create(configMap('a'));
  full = true;
  await expect(cluster.patch(ref('a'), { data: { k: 'v' } })).rejects.toMatchObject({ code: 'Unavailable' });
  await expect(cluster.delete(ref('a'))).rejects.toMatchObject({ code: 'Unavailable' });
  full = false;
  expect(await cluster.get(ref('a'))).toEqual(made);
  await cluster.create(configMap('b'));
  await vi.waitFor(() => expect(told).toEqual(['synced', 'applied', 'applied']));
});

test('a closed cluster is Unavailable, and its watches are silent', async () => {
  const cluster = open();
  const told: string[] = [];
  cluster.watch({ kind: KINDS.ConfigMap }, (event) => told.push(event.type));
  cluster.close();
  cluster.close();
  await expect(cluster.get(ref('a'))).rejects.toMatchObject({ code: 'Unavailable' });
  await expect(cluster.create(configMap('a'))).rejects.toMatchObject({ code: 'Unavailable' });
  await new Promise(setImmediate);
  expect(told).toEqual([]);
});

test('a list without a limit is cut into pages as the Kubernetes adapter cuts it', async () => {
  const cluster = open();
  for (let count = 0; count < 501; count += 1) await cluster.create(configMap(`c-${count}`));
  const first = await cluster.list({ kind: KINDS.ConfigMap });
  expect(first.items).toHaveLength(500);
  expect((await cluster.list({ kind: KINDS.ConfigMap }, { cursor: first.next ?? '' })).items).toHaveLength(1);
});
