import { afterEach, describe, expect, test, vi } from 'vitest';
import { KINDS } from '../../../src/resources/kube/kinds.ts';
import { composite, configMapChild, createWorld, type Hook, type Request, type World } from './world.ts';

const { Function: FUNCTION, ConfigMap: CONFIG_MAP, Deployment: DEPLOYMENT, Job: JOB } = KINDS;

let world: World;
afterEach(() => world.close());

const open = async (sync: Hook, options: Parameters<typeof composite>[0] = {}, more: object = {}) => {
  world = await createWorld({ controllers: composite(options), hooks: { '/sync/function': sync }, ...more });
};

const deployment = (spec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'f', labels: { app: 'f' } },
  spec: {
    selector: { matchLabels: { app: 'f' } },
    template: { metadata: { labels: { app: 'f' } }, spec: { containers: [{ name: 'c', image: 'i:1' }] } },
    ...spec,
  },
});

const job = (image: string) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'j' },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image }] } } },
});

describe('what a hook is sent', () => {
  test('every kind of child has its group, keyed by namespace and name, and related is empty without customize', async () => {
    await open(({ parent }) => ({ children: [configMapChild(parent.metadata.name)], status: {} }), {
      children: ['configmaps v1 InPlace', 'jobs batch/v1', 'deployments apps/v1 InPlace'],
    });
    const parent = await world.make(FUNCTION, 'f');
    await world.idle();
    const [first, second] = world.calls.map(({ request }) => request) as [Request, Request];
    expect(first).toEqual({
      controller: expect.objectContaining({
        apiVersion: 'metacontroller.k8s.io/v1alpha1',
        kind: 'CompositeController',
        metadata: expect.objectContaining({ name: 'functions', managedFields: [] }),
        spec: expect.objectContaining({ generateSelector: true }),
      }),
      parent,
      children: { 'ConfigMap.v1': {}, 'Job.batch/v1': {}, 'Deployment.apps/v1': {} },
      related: {},
      finalizing: false,
    });
    const child = second.children['ConfigMap.v1']?.['ns/f'];
    expect(child).toEqual(await world.get(CONFIG_MAP, 'f'));
    expect(child?.metadata.labels).toEqual({ 'controller-uid': parent.metadata.uid });
    expect(child?.metadata.ownerReferences).toEqual([
      {
        apiVersion: FUNCTION.apiVersion,
        kind: 'Function',
        name: 'f',
        uid: parent.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
  });

  test('children of others, and of a namesake that is gone, are not shown', async () => {
    await open(() => ({ children: [], status: {} }));
    await world.make(CONFIG_MAP, 'stranger');
    await world.make(CONFIG_MAP, 'of-another', {
      metadata: {
        ownerReferences: [
          { apiVersion: FUNCTION.apiVersion, kind: 'Function', name: 'f', uid: 'x', controller: true },
        ],
      },
    });
    await world.make(FUNCTION, 'f');
    await world.idle();
    for (const { request } of world.calls) expect(request.children).toEqual({ 'ConfigMap.v1': {} });
    expect(await world.get(CONFIG_MAP, 'stranger')).toBeDefined();
  });
});

describe('what follows an answer', () => {
  test('what is not wanted is deleted first, then the rest is applied by kind and name, then comes the status', async () => {
    let names = ['b', 'a'];
    await open(
      () => ({
        children: [deployment(), ...names.map((name) => configMapChild(name))],
        status: { phase: 'Ready' },
      }),
      {
        children: ['deployments apps/v1 InPlace', 'configmaps v1 InPlace'],
      },
    );
    await world.make(FUNCTION, 'f');
    await world.idle();
    const applied = ['apply ConfigMap a', 'apply ConfigMap b', 'apply Deployment f', 'status Function f'];
    expect(world.writes).toEqual(applied);
    names = ['c'];
    await world.patch(FUNCTION, 'f', { spec: { replicas: 2 } });
    await world.idle();
    const changed = ['delete ConfigMap a', 'delete ConfigMap b', 'apply ConfigMap c', 'status Function f'];
    expect(world.writes.slice(applied.length)).toEqual(changed);
  });

  test('the status is replaced whole, with the generation that was looked at', async () => {
    let status: object | null = { phase: 'Building', message: 'x' };
    await open(() => ({ children: [], status }));
    await world.make(FUNCTION, 'f');
    await world.idle();
    expect((await world.get(FUNCTION, 'f'))?.status).toEqual({
      phase: 'Building',
      message: 'x',
      observedGeneration: 1,
    });
    status = null;
    await world.patch(FUNCTION, 'f', { spec: { replicas: 2 } });
    await world.idle();
    expect((await world.get(FUNCTION, 'f'))?.status).toEqual({ observedGeneration: 2 });
  });

  test('a settled parent is quiet: nothing is asked and nothing is written', async () => {
    await open(
      () => ({ children: [configMapChild('a', { k: 'v' }), deployment()], status: { phase: 'Ready' } }),
      {
        children: ['deployments apps/v1 InPlace', 'configmaps v1 InPlace'],
      },
    );
    await world.make(FUNCTION, 'f');
    await world.idle();
    const before = [world.calls.length, world.writes.length];
    for (const name of ['x', 'y', 'z']) {
      await world.make(CONFIG_MAP, name);
      await world.idle();
    }
    expect([world.calls.length, world.writes.length]).toEqual(before);
  });

  test('a sync that wants what was applied already writes nothing', async () => {
    await open(
      () => ({ children: [configMapChild('a', { k: 'v' }), deployment({ replicas: 1 })], status: {} }),
      {
        children: ['deployments apps/v1 InPlace', 'configmaps v1 InPlace'],
      },
    );
    await world.make(FUNCTION, 'f');
    await world.idle();
    const { length } = world.writes;
    const asked = world.calls.length;
    await world.patch(FUNCTION, 'f', { metadata: { labels: { touched: 'yes' } } });
    await world.idle();
    expect(world.calls.length).toBe(asked + 1);
    expect(world.writes.slice(length)).toEqual([]);
  });

  test('InPlace changes and drops fields, OnDelete never touches what is there', async () => {
    let version = 1;
    await open(
      () => ({
        children: [
          configMapChild('a', version === 1 ? { old: '1', both: '1' } : { both: '2' }),
          job(`image:${version}`),
        ],
        status: {},
      }),
      { children: ['configmaps v1 InPlace', 'jobs batch/v1'] },
    );
    await world.make(FUNCTION, 'f');
    await world.idle();
    const before = await world.get(JOB, 'j');
    version = 2;
    await world.patch(FUNCTION, 'f', { spec: { replicas: 2 } });
    await world.idle();
    expect((await world.get(CONFIG_MAP, 'a'))?.data).toEqual({ both: '2' });
    expect(await world.get(JOB, 'j')).toEqual(before);
    expect(world.writes.filter((write) => write.includes('Job'))).toEqual(['apply Job j']);
    expect(world.warnings).toEqual([]);
  });

  test('drift of a spec is undone; a foreign label on a kind with a generation stays unseen', async () => {
    await open(
      () => ({ children: [configMapChild('a', { k: 'v' }), deployment({ replicas: 2 })], status: {} }),
      {
        children: ['configmaps v1 InPlace', 'deployments apps/v1 InPlace'],
      },
    );
    await world.make(FUNCTION, 'f');
    await world.idle();
    await world.patch(CONFIG_MAP, 'a', { data: { k: 'changed' } });
    await world.patch(DEPLOYMENT, 'f', { spec: { replicas: 9 } });
    await world.idle();
    expect((await world.get(CONFIG_MAP, 'a'))?.data).toEqual({ k: 'v' });
    expect((await world.get(DEPLOYMENT, 'f'))?.spec).toMatchObject({ replicas: 2 });
    const { length } = world.writes;
    await world.patch(DEPLOYMENT, 'f', { metadata: { labels: { app: 'drifted' } } });
    await world.idle();
    expect(world.writes.slice(length)).toEqual([]);
    expect((await world.get(DEPLOYMENT, 'f'))?.metadata.labels?.app).toBe('drifted');
  });

  test('an object of that name which another made is taken over, and goes with the parent', async () => {
    await open(() => ({ children: [configMapChild('a', { k: 'v' })], status: {} }));
    const foreign = await world.make(CONFIG_MAP, 'a', { data: { theirs: '1' } });
    await world.make(FUNCTION, 'f');
    await world.idle();
    const taken = await world.get(CONFIG_MAP, 'a');
    expect(taken?.metadata.uid).toBe(foreign.metadata.uid);
    expect(taken?.data).toEqual({ theirs: '1', k: 'v' });
    await world.cluster.delete({ kind: FUNCTION, namespace: 'ns', name: 'f' });
    await vi.waitFor(async () => expect(await world.get(CONFIG_MAP, 'a')).toBeUndefined());
  });

  test('one child that is refused keeps neither its siblings nor the status from being written', async () => {
    const bad = { ...configMapChild('bad'), data: { 'not a key': 'x' } };
    await open(() => ({ children: [bad, configMapChild('good')], status: { phase: 'Failed' } }));
    await world.make(FUNCTION, 'f');
    await vi.waitFor(() => expect(world.warnings.length).toBeGreaterThan(2));
    expect(await world.get(CONFIG_MAP, 'good')).toBeDefined();
    expect((await world.get(FUNCTION, 'f'))?.status).toMatchObject({ phase: 'Failed' });
    expect(world.warnings[0]).toContain('not a key');
  });

  test('children of a parent that is being deleted are left alone, its status is still written', async () => {
    await open(({ parent }) => ({
      children: parent.metadata.deletionTimestamp ? [] : [configMapChild('a')],
      status: { phase: parent.metadata.deletionTimestamp ? 'Pending' : 'Ready' },
    }));
    await world.make(FUNCTION, 'f', { metadata: { finalizers: ['sless.dev/test'] } });
    await world.idle();
    await world.cluster.delete({ kind: FUNCTION, namespace: 'ns', name: 'f' });
    await world.idle();
    expect(await world.get(CONFIG_MAP, 'a')).toBeDefined();
    expect((await world.get(FUNCTION, 'f'))?.status).toMatchObject({ phase: 'Pending' });
  });

  test('a child in another namespace is an error that says so', async () => {
    const child = { ...configMapChild('a'), metadata: { name: 'a', namespace: 'default' } };
    await open(() => ({ children: [child], status: {} }));
    await world.make(FUNCTION, 'f');
    await vi.waitFor(() => expect(world.warnings[0]).toContain('namespace of its parent'));
    expect(world.writes).toEqual([]);
  });

  test('a child whose label claims another parent is an error', async () => {
    const child = { ...configMapChild('a'), metadata: { name: 'a', labels: { 'controller-uid': 'other' } } };
    await open(() => ({ children: [child], status: {} }));
    await world.make(FUNCTION, 'f');
    await vi.waitFor(() => expect(world.warnings[0]).toContain("parent's selector"));
  });
});

describe('when a parent is looked at', () => {
  test('with ignoreStatusChanges, neither its own status nor another writer of it brings a sync', async () => {
    await open(() => ({ children: [], status: { phase: 'Ready' } }), {
      parent: ', ignoreStatusChanges: true',
    });
    await world.make(FUNCTION, 'f');
    await world.idle();
    expect(world.calls).toHaveLength(1);
    await world.patch(FUNCTION, 'f', { status: { message: 'x' } }, { subresource: 'status' });
    await world.idle();
    expect(world.calls).toHaveLength(1);
    await world.patch(FUNCTION, 'f', { metadata: { annotations: { a: 'b' } } });
    await world.idle();
    expect(world.calls).toHaveLength(2);
  });

  test('without it, writing a status brings one more sync, which is the last', async () => {
    await open(() => ({ children: [], status: { phase: 'Ready' } }));
    await world.make(FUNCTION, 'f');
    await world.idle();
    expect(world.calls).toHaveLength(2);
  });

  test('only parents that the selector selects are synced', async () => {
    await open(() => ({ children: [], status: {} }), {
      parent: ', labelSelector: { matchLabels: { on: "yes" } }',
    });
    await world.make(FUNCTION, 'off');
    await world.make(FUNCTION, 'on', { metadata: { labels: { on: 'yes' } } });
    await world.idle();
    expect(new Set(world.calls.map(({ request }) => request.parent.metadata.name))).toEqual(new Set(['on']));
  });

  test('resyncAfterSeconds brings the next sync after that time, fractions too', async () => {
    await open(
      ({ parent }) => ({
        children: [],
        status: {},
        ...(world.calls.length < 3 ? { resyncAfterSeconds: 0.05 } : {}),
        ...(parent ? {} : {}),
      }),
      { parent: ', ignoreStatusChanges: true' },
    );
    await world.make(FUNCTION, 'f');
    await vi.waitFor(() => expect(world.calls).toHaveLength(3));
    const [first, second, third] = world.calls.map(({ at }) => at) as [number, number, number];
    expect(second - first).toBeGreaterThanOrEqual(45);
    expect(third - second).toBeGreaterThanOrEqual(45);
    await world.idle();
    expect(world.calls).toHaveLength(3);
  });

  test('every parent is looked at once in a while though nothing happened', async () => {
    await open(
      () => ({ children: [], status: {} }),
      { parent: ', ignoreStatusChanges: true' },
      { flushMs: 50 },
    );
    await world.make(FUNCTION, 'f');
    await vi.waitFor(() => expect(world.calls.length).toBeGreaterThanOrEqual(3));
    expect(world.writes).toEqual(['status Function f']);
  });

  test('one parent is never synced twice at once, many are synced side by side', async () => {
    const inside = new Map<string, number>();
    let most = 0;
    await open(async ({ parent }) => {
      const { name } = parent.metadata;
      expect(inside.has(name)).toBe(false);
      inside.set(name, 1);
      most = Math.max(most, inside.size);
      await new Promise((resolve) => setTimeout(resolve, 5));
      inside.delete(name);
      return { children: [configMapChild(name)], status: {} };
    });
    await Promise.all(['a', 'b', 'c'].map((name) => world.make(FUNCTION, name)));
    for (const replicas of [2, 3, 4]) {
      await Promise.all(['a', 'b', 'c'].map((name) => world.patch(FUNCTION, name, { spec: { replicas } })));
    }
    await world.idle();
    expect(most).toBe(3);
    expect(world.warnings).toEqual([]);
    expect((await world.get(FUNCTION, 'a'))?.status).toEqual({ observedGeneration: 4 });
  });
});
