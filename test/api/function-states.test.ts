import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KINDS } from '../../src/resources/kube/kinds.ts';
import type { KubeObject } from '../../src/resources/kube/object.ts';
import { type ApiServer, startApi, type Tenant, tenantOf } from './api-server.ts';

/** A busy machine takes its time. */
const SOON = { timeout: 10_000 };

let api: ApiServer;
let alice: Tenant;

beforeAll(async () => {
  api = await startApi();
  alice = await tenantOf(api, 'alice');
});
afterAll(() => api.close());

const objectOf = async (name: string): Promise<KubeObject> => {
  const object = await api.cluster.get({ kind: KINDS.Function, namespace: alice.namespace, name });
  if (object === undefined) throw new Error(`there is no function ${name}`);
  return object;
};

describe('phase', () => {
  const setStatus = (name: string, status: object) =>
    api.cluster.patch(
      { kind: KINDS.Function, namespace: alice.namespace, name },
      { status },
      { subresource: 'status' },
    );

  it('is what the operator says, unless that is older than the last change', async () => {
    await alice.ask('POST', '/functions', { name: 'phased', runtime: 'nodejs20' });
    await setStatus('phased', { observedGeneration: 1, phase: 'Ready', message: 'ready', readyReplicas: 1 });
    expect((await alice.ask('GET', '/functions/phased')).body).toMatchObject({
      phase: 'Ready',
      ready_replicas: 1,
    });
    expect((await alice.ask('PATCH', '/functions/phased', { replicas: 2 })).body).toMatchObject({
      phase: 'Pending',
    });
    await setStatus('phased', { observedGeneration: 2, phase: 'Deploying' });
    expect((await alice.ask('GET', '/functions/phased')).body).toMatchObject({ phase: 'Deploying' });
  });

  it('shows conditions in snake_case', async () => {
    await setStatus('phased', {
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          reason: 'BuildFailed',
          message: 'pip said no',
          observedGeneration: 2,
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    });
    expect((await alice.ask('GET', '/functions/phased')).body.conditions).toEqual([
      {
        type: 'Ready',
        status: 'False',
        reason: 'BuildFailed',
        message: 'pip said no',
        last_transition_time: '2026-01-01T00:00:00Z',
      },
    ]);
  });
});

describe('delete', () => {
  it('waits for the children to go', async () => {
    await alice.ask('POST', '/functions', { name: 'gone', runtime: 'nodejs20' });
    const { uid = '' } = (await objectOf('gone')).metadata;
    const metadata = {
      name: 'gone',
      namespace: alice.namespace,
      labels: { 'sless.dev/function': 'gone' },
      finalizers: ['test/hold'],
      ownerReferences: [
        { apiVersion: 'sless.dev/v1alpha1', kind: 'Function', name: 'gone', uid, controller: true },
      ],
    };
    await api.cluster.create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: { a: 'b' }, ports: [{ port: 8080 }] },
    });
    const service = { kind: KINDS.Service, namespace: alice.namespace, name: 'gone' };
    let answered = false;
    const deletion = alice.ask('DELETE', '/functions/gone').finally(() => {
      answered = true;
    });
    await expect
      .poll(async () => (await api.cluster.get(service))?.metadata.deletionTimestamp, SOON)
      .toBeDefined();
    expect((await alice.ask('GET', '/functions/gone')).status).toBe(404);
    expect(answered).toBe(false);
    await api.cluster.patch(service, { metadata: { finalizers: null } });
    expect((await deletion).status).toBe(204);
    expect(await api.cluster.get(service)).toBeUndefined();
  });

  it('says after a while that children are still going', async () => {
    const impatient = await startApi({
      options: { deleteWaitMs: 0 },
      deps: () => ({ cluster: api.cluster }),
    });
    try {
      await alice.ask('POST', '/functions', { name: 'slow', runtime: 'nodejs20' });
      const { uid = '' } = (await objectOf('slow')).metadata;
      await api.cluster.create({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: {
          name: 'slow',
          namespace: alice.namespace,
          labels: { 'sless.dev/function': 'slow' },
          finalizers: ['test/hold'],
          ownerReferences: [{ apiVersion: 'sless.dev/v1alpha1', kind: 'Function', name: 'slow', uid }],
        },
        spec: { selector: { a: 'b' }, ports: [{ port: 8080 }] },
      });
      const same = await tenantOf(impatient, 'alice', { fresh: true });
      expect((await same.ask('DELETE', '/functions/slow')).status).toBe(202);
    } finally {
      await impatient.close();
    }
  });

  it('is not found the second time', async () => {
    await alice.ask('POST', '/functions', { name: 'twice', runtime: 'nodejs20' });
    expect((await alice.ask('DELETE', '/functions/twice')).status).toBe(204);
    expect(await alice.ask('DELETE', '/functions/twice')).toMatchObject({
      status: 404,
      body: { code: 'NotFound' },
    });
    expect((await alice.ask('POST', '/functions', { name: 'twice', runtime: 'nodejs20' })).status).toBe(201);
  });
});
