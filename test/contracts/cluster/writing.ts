import { expect, test } from 'vitest';
import { KINDS } from '../../../src/resources/kube/kinds.ts';
import type { KubeObject } from '../../../src/resources/kube/object.ts';
import { configMap, eventually, functionObject, NAMESPACES, refTo, refusal, type Scene } from './subject.ts';

/** Create, get, patch and delete. */
export function writingContract(scene: () => Scene): void {
  test('a created object carries what the server gives it', async () => {
    const { cluster, namespace } = scene();
    const made = await cluster.create(configMap(scene(), 'a', { data: { k: 'v' } }));
    expect(made).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { k: 'v' } });
    expect(made.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(made.metadata.resourceVersion).toMatch(/^\d+$/);
    expect(made.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(await cluster.get({ kind: KINDS.ConfigMap, namespace, name: 'a' })).toEqual(made);
  });

  test('what is not there is undefined to get, NotFound to patch and delete', async () => {
    const { cluster, namespace } = scene();
    const ref = { kind: KINDS.ConfigMap, namespace, name: 'absent' };
    expect(await cluster.get(ref)).toBeUndefined();
    await refusal('NotFound', cluster.patch(ref, { data: {} }));
    await refusal('NotFound', cluster.delete(ref));
    await refusal('NotFound', cluster.replaceStatus({ ...functionObject(scene(), 'absent'), status: {} }));
  });

  test('a kind that is not served is Unavailable, not an absence', async () => {
    const { cluster, namespace } = scene();
    const kind = { apiVersion: 'sless.dev/v1', kind: 'Nothing', plural: 'nothings', namespaced: true };
    await refusal('Unavailable', cluster.list({ kind, namespace }));
    await refusal('Unavailable', cluster.delete({ kind, namespace, name: 'x' }));
  });

  test('of many creates of one name one wins, the others are AlreadyExists', async () => {
    const { cluster } = scene();
    const tries = Array.from({ length: 8 }, () => cluster.create(configMap(scene(), 'one')));
    const results = await Promise.allSettled(tries);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') await refusal('AlreadyExists', Promise.reject(result.reason));
    }
  });

  test('nothing is created in a namespace that is not there', async () => {
    const { cluster } = scene();
    const object = { ...configMap(scene(), 'a'), metadata: { name: 'a', namespace: 'no-such-namespace' } };
    await refusal('NotFound', cluster.create(object));
    await refusal('NotFound', cluster.apply(object, 'metacontroller'));
  });

  test('nothing is created in a namespace that is being deleted', async () => {
    const { cluster, namespace } = scene();
    // A finalizer in the way keeps the namespace ending for as long as the test looks.
    const held = await cluster.create(
      configMap(scene(), 'held', { metadata: { finalizers: ['sless.dev/test'] } }),
    );
    await cluster.delete({ kind: NAMESPACES, name: namespace });
    await refusal('Forbidden', cluster.create(configMap(scene(), 'late')));
    await refusal('Forbidden', cluster.apply(configMap(scene(), 'late'), 'metacontroller'));
    await cluster.patch(refTo(KINDS.ConfigMap, held), { metadata: { finalizers: null } });
  });

  test('every mistake of a spec is a detail of its own', async () => {
    const { cluster } = scene();
    const error = await refusal(
      'Invalid',
      cluster.create(functionObject(scene(), 'f', { replicas: -1, concurrency: 0 })),
    );
    expect(error).toHaveProperty('details.length', 2);
    expect(String(error)).toContain('replicas');
    expect(String(error)).toContain('concurrency');
  });

  test('the defaults of a schema are filled in, unknown fields are dropped', async () => {
    const made = await scene().cluster.create(functionObject(scene(), 'f', { surprise: 1 }));
    expect(made.spec).toMatchObject({ replicas: 1, timeoutSeconds: 60, build: 'auto', env: {} });
    expect(made.spec).not.toHaveProperty('surprise');
  });

  test('a merge patch sets, replaces lists whole and removes by null', async () => {
    const { cluster } = scene();
    const { metadata } = await cluster.create(
      functionObject(scene(), 'f', { env: { A: '1', B: '2' }, secrets: ['fn-a', 'fn-b'] }),
    );
    const ref = { kind: KINDS.Function, namespace: scene().namespace, name: metadata.name };
    const patched = await cluster.patch(ref, { spec: { env: { A: null, C: '3' }, secrets: ['fn-c'] } });
    expect(patched.spec).toMatchObject({ env: { B: '2', C: '3' }, secrets: ['fn-c'], runtime: 'nodejs20' });
    expect(patched.metadata.generation).toBe(2);
    await refusal('Invalid', cluster.patch(ref, { spec: { runtime: null } }));
  });

  test('a patch with a stale resourceVersion is a Conflict and changes nothing', async () => {
    const { cluster } = scene();
    const made = await cluster.create(configMap(scene(), 'a', { data: { n: '0' } }));
    const ref = refTo(KINDS.ConfigMap, made);
    const { resourceVersion } = made.metadata;
    await cluster.patch(ref, { metadata: { resourceVersion }, data: { n: '1' } });
    await refusal('Conflict', cluster.patch(ref, { metadata: { resourceVersion }, data: { n: '2' } }));
    expect((await cluster.get(ref))?.data).toEqual({ n: '1' });
  });

  test('of many who patch the version they saw, one wins each time', async () => {
    const { cluster } = scene();
    const ref = refTo(KINDS.ConfigMap, await cluster.create(configMap(scene(), 'a', { data: { n: '0' } })));
    const increment = async (): Promise<void> => {
      const { data, metadata } = (await cluster.get(ref)) as KubeObject & { data: { n: string } };
      const patch = {
        metadata: { resourceVersion: metadata.resourceVersion },
        data: { n: `${Number(data.n) + 1}` },
      };
      await cluster.patch(ref, patch).catch(async (error: unknown) => {
        await refusal('Conflict', Promise.reject(error));
        await increment();
      });
    };
    await Promise.all(Array.from({ length: 5 }, increment));
    expect((await cluster.get(ref))?.data).toEqual({ n: '5' });
  });

  test('a write that changes nothing leaves the resourceVersion as it is', async () => {
    const { cluster } = scene();
    const ref = refTo(
      KINDS.Function,
      await cluster.create(functionObject(scene(), 'f', { env: { A: '1' } })),
    );
    const made = await cluster.patch(ref, {}); // which writes down the default of its status
    const again = [
      await cluster.patch(ref, { spec: { env: { A: '1' } } }),
      await cluster.patch(ref, { metadata: { labels: { absent: null } } }),
      await cluster.patch(ref, {}),
    ];
    for (const object of again) expect(object.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
  });

  test('deleting another object than the one of that uid is a Conflict', async () => {
    const { cluster } = scene();
    const first = await cluster.create(configMap(scene(), 'a'));
    const ref = refTo(KINDS.ConfigMap, first);
    await cluster.delete(ref, { uid: first.metadata.uid ?? '' });
    const second = await cluster.create(configMap(scene(), 'a'));
    expect(second.metadata.uid).not.toBe(first.metadata.uid);
    await refusal('Conflict', cluster.delete(ref, { uid: first.metadata.uid ?? '' }));
    expect(await cluster.get(ref)).toEqual(second);
  });

  test('deleting an object that was changed since it was read is a Conflict', async () => {
    const { cluster } = scene();
    const { metadata, ...read } = await cluster.create(configMap(scene(), 'a'));
    const ref = refTo(KINDS.ConfigMap, { ...read, metadata });
    const changed = await cluster.patch(ref, { metadata: { annotations: { a: 'b' } } });
    const { uid = '', resourceVersion = '' } = metadata;
    await refusal('Conflict', cluster.delete(ref, { uid, resourceVersion }));
    expect(await cluster.get(ref)).toEqual(changed);
    await cluster.delete(ref, { uid, resourceVersion: changed.metadata.resourceVersion ?? '' });
    expect(await cluster.get(ref)).toBeUndefined();
  });

  test('an object with a finalizer stays, marked, until the finalizer is gone', async () => {
    const { cluster } = scene();
    const made = await cluster.create(
      configMap(scene(), 'a', { metadata: { finalizers: ['sless.dev/test'] } }),
    );
    const ref = refTo(KINDS.ConfigMap, made);
    await cluster.delete(ref);
    await cluster.delete(ref);
    expect((await cluster.get(ref))?.metadata.deletionTimestamp).toBeDefined();
    await refusal('AlreadyExists', cluster.create(configMap(scene(), 'a')));
    await cluster.patch(ref, { metadata: { finalizers: null } });
    await eventually(async () => expect(await cluster.get(ref)).toBeUndefined());
  });

  test('fields that a kind keeps for life are Invalid to change', async () => {
    const { cluster, namespace } = scene();
    const trigger = await cluster.create({
      apiVersion: KINDS.Trigger.apiVersion,
      kind: 'Trigger',
      metadata: { name: 't', namespace },
      spec: { type: 'http', functionRef: 'f' },
    });
    const change = { spec: { type: 'cron', schedule: '* * * * *' } };
    await refusal('Invalid', cluster.patch(refTo(KINDS.Trigger, trigger), change));
  });
}
