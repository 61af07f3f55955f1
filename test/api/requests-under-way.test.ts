import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KINDS } from '../../src/resources/kube/kinds.ts';
import { type ApiServer, startApi, type Tenant, tenantOf } from './api-server.ts';
import { PYTHON, zipOf } from './zips.ts';

let api: ApiServer;
let alice: Tenant;

beforeAll(async () => {
  api = await startApi();
  alice = await tenantOf(api, 'alice');
});
afterAll(() => api.close());

const refOf = (name: string) => ({ kind: KINDS.Function, namespace: alice.namespace, name });
const rebuildOf = async (name: string) =>
  (await api.cluster.get(refOf(name)))?.metadata.annotations?.['sless.dev/rebuild'];
const setStatus = (name: string, status: object) =>
  api.cluster.patch(refOf(name), { status }, { subresource: 'status' });

/** A function with code, whose operator has seen all so far. */
async function uploaded(name: string): Promise<{ readonly key: string; readonly generation: number }> {
  await alice.ask('POST', '/functions', { name, runtime: 'python3.11' });
  const { s3_key } = (await alice.upload(name, zipOf(PYTHON))).body;
  const generation = (await api.cluster.get(refOf(name)))?.metadata.generation ?? 0;
  return { key: s3_key as string, generation };
}

const version = (key: string) => ({
  key,
  image: 'registry/i@sha256:1',
  runtimeImage: 'registry.local/sless-runtime-python3.11:v0.1.0',
  builtAt: '2026-01-01T00:00:00Z',
});

describe('a rebuild', () => {
  it('of a function that does not start is Pending until the operator has seen it, not Failed as before', async () => {
    const { key, generation } = await uploaded('crashing');
    await setStatus('crashing', {
      observedGeneration: generation,
      phase: 'Failed',
      message: 'CrashLoop: boom',
      builtKey: key,
      build: { key, job: 'crashing-b-1' },
    });
    const answer = await alice.ask('POST', '/functions/crashing/rebuild');
    expect(answer).toMatchObject({ status: 202, body: { phase: 'Pending' } });
    expect((await alice.ask('GET', '/functions/crashing')).body.phase).toBe('Pending');
    await setStatus('crashing', { rebuild: await rebuildOf('crashing'), phase: 'Building' });
    expect((await alice.ask('GET', '/functions/crashing')).body.phase).toBe('Building');
  });

  it('that is under way is left alone by whoever names the same code again', async () => {
    const { key } = await uploaded('kept');
    await setStatus('kept', { history: [version(key)] });
    await alice.ask('POST', '/functions/kept/rebuild');
    const rebuild = await rebuildOf('kept');
    expect(rebuild).toBeDefined();
    // As Terraform sends all fields.
    await alice.ask('PATCH', '/functions/kept', { s3_key: key, env: { A: '1' } });
    expect(await rebuildOf('kept')).toBe(rebuild);
    await alice.ask('POST', '/functions/kept/rollback', { s3_key: key });
    expect(await rebuildOf('kept')).toBe(rebuild);
    expect((await alice.upload('kept', zipOf(PYTHON))).body.message).toBe('already built');
    expect(await rebuildOf('kept')).toBe(rebuild);
  });

  it('is forgotten with the code that it was asked for', async () => {
    const { key } = await uploaded('left');
    await setStatus('left', { history: [version(key)] });
    const next = (await alice.upload('left', zipOf({ 'handler.py': 'handle = print\n' }))).body.s3_key;
    for (const change of [
      () => alice.ask('PATCH', '/functions/left', { s3_key: key }),
      () => alice.upload('left', zipOf({ 'handler.py': 'handle = print\n' })),
      () => alice.ask('POST', '/functions/left/rollback', { s3_key: key }),
    ]) {
      await alice.ask('POST', '/functions/left/rebuild');
      expect(await rebuildOf('left')).toBeDefined();
      await change();
      expect(await rebuildOf('left')).toBeUndefined();
    }
    expect(next).not.toBe(key);
  });
});

describe('two uploads of the same content', () => {
  it('ask for one more try of a failed build, not for two', async () => {
    const { key, generation } = await uploaded('tried');
    await setStatus('tried', {
      observedGeneration: generation,
      phase: 'Failed',
      build: { key, job: 'tried-b-1', uid: 'u', reason: 'BuildFailed' },
    });
    await alice.upload('tried', zipOf(PYTHON));
    const rebuild = await rebuildOf('tried');
    expect(rebuild).toBeDefined();
    const second = await alice.upload('tried', zipOf(PYTHON));
    expect(second.body).toMatchObject({ s3_key: key, message: 'build queued', phase: 'Pending' });
    expect(await rebuildOf('tried')).toBe(rebuild);
    // The second try failed too: a third is asked for.
    await setStatus('tried', { rebuild, build: { rebuild, job: 'tried-b-2' } });
    await alice.upload('tried', zipOf(PYTHON));
    expect(await rebuildOf('tried')).not.toBe(rebuild);
  });

  it('in two seconds come to one key and one build', async () => {
    await alice.ask('POST', '/functions', { name: 'near', runtime: 'python3.11' });
    let other: Promise<{ readonly body: Readonly<Record<string, unknown>> }> | undefined;
    const earlier = await startApi({
      deps: () => ({
        cluster: api.cluster,
        clock: { now: () => Date.now() - 5000 },
        store: {
          ...api.store,
          // When all is decided and stored but the key not written, the other upload comes and goes.
          put: async (key, body, options) => {
            await api.store.put(key, body, options);
            if (!key.startsWith('contexts/')) return;
            other = alice.upload('near', zipOf(PYTHON));
            await other;
          },
        },
      }),
    });
    try {
      const first = await (await tenantOf(earlier, 'alice')).upload('near', zipOf(PYTHON));
      const second = await other;
      expect(second?.body.s3_key).toBeDefined();
      expect(first.body).toEqual(second?.body);
      const object = await api.cluster.get(refOf('near'));
      expect(object?.spec).toMatchObject({ s3Key: first.body.s3_key });
    } finally {
      await earlier.close();
    }
  });
});
