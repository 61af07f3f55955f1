import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KINDS } from '../../src/resources/kube/kinds.ts';
import type { KubeObject } from '../../src/resources/kube/object.ts';
import { type ApiServer, startApi, type Tenant, tenantOf } from './api-server.ts';

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

describe('create', () => {
  it('answers the function with its defaults', async () => {
    const answer = await alice.ask('POST', '/functions', { name: 'plain', runtime: 'python3.11' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      name: 'plain',
      namespace: alice.namespace,
      runtime: 'python3.11',
      entrypoint: 'handler.handle',
      env: {},
      secrets: [],
      replicas: 1,
      resources: null,
      timeout_seconds: 60,
      concurrency: 100,
      build: 'auto',
      build_timeout_seconds: 300,
      s3_key: null,
      phase: 'Pending',
      message: 'waiting for the operator',
      image: null,
      code_hash: null,
      last_built_at: null,
      ready_replicas: 0,
      url: null,
      conditions: [],
    });
    expect((await alice.ask('GET', '/functions/plain')).body).toEqual(answer.body);
  });

  it('keeps every field, env values included as they are', async () => {
    const fields = {
      name: 'full',
      runtime: 'nodejs20',
      entrypoint: 'pkg.main.run',
      env: { A: '$(HOME) "quoted"\nsecond line', EMOJI: '🦊', _x1: '' },
      secrets: ['fn-db'],
      replicas: 3,
      resources: { requests: { cpu: '100m' }, limits: { memory: '256Mi' } },
      timeout_seconds: 3600,
      concurrency: 1,
      build: 'dockerfile',
      build_timeout_seconds: 30,
    };
    const answer = await alice.ask('POST', '/functions', fields);
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject(fields);
    expect((await objectOf('full')).spec).toMatchObject({
      timeoutSeconds: 3600,
      buildTimeoutSeconds: 30,
      env: fields.env,
    });
  });

  it('takes null for a default', async () => {
    const answer = await alice.ask('POST', '/functions', {
      name: 'nulls',
      runtime: 'nodejs20',
      replicas: null,
      env: null,
    });
    expect(answer).toMatchObject({ status: 201, body: { replicas: 1, env: {} } });
  });

  it('refuses a name that is taken', async () => {
    expect(await alice.ask('POST', '/functions', { name: 'plain', runtime: 'nodejs20' })).toMatchObject({
      status: 409,
      body: { code: 'AlreadyExists', error: 'there is a function "plain" already' },
    });
  });

  it('names every mistake by its REST path', async () => {
    const answer = await alice.ask('POST', '/functions', {
      name: 'Bad--Name',
      timeout_seconds: 0,
      build_timeout_seconds: 3.5,
      env: { PORT: '1', '1A': 'x' },
      secrets: ['fn-ok', 'db'],
      resources: { limits: { cpu: 'fast' }, request: {} },
      timeoutSeconds: 5,
    });
    expect(answer).toMatchObject({ status: 400, body: { code: 'InvalidRequest' } });
    const details = answer.body.details as string[];
    for (const path of [
      'name:',
      'runtime: is required',
      'timeout_seconds:',
      'build_timeout_seconds:',
      'env["1A"]: names must be C identifiers',
      'secrets[1]:',
      'resources.limits.cpu:',
      'resources.request: there is no such field',
      'timeoutSeconds: there is no such field',
    ])
      expect(details.join('\n')).toContain(path);
    for (const detail of details) expect(answer.body.error).toContain(detail);
  });

  it.each([
    ['a runtime that nobody has', { name: 'f', runtime: 'cobol85' }, 400, 'UnknownRuntime'],
    [
      "another function's code",
      { name: 'f', runtime: 'nodejs20', s3_key: 'contexts/other/f/1.tar.gz' },
      403,
      'ForbiddenSource',
    ],
    ['an array', [], 400, 'InvalidRequest'],
    ['a name of 41 characters', { name: 'a'.repeat(41), runtime: 'nodejs20' }, 400, 'InvalidRequest'],
    ['a name that ends in "-"', { name: 'a-', runtime: 'nodejs20' }, 400, 'InvalidRequest'],
    ['a name that begins with a digit', { name: '1a', runtime: 'nodejs20' }, 400, 'InvalidRequest'],
    ['a null runtime', { name: 'f', runtime: null }, 400, 'InvalidRequest'],
  ])('refuses %s', async (_, body, status, code) => {
    expect(await alice.ask('POST', '/functions', body)).toMatchObject({ status, body: { code } });
  });

  it('says where code would have to lie, and that it is not there', async () => {
    const s3_key = `contexts/${alice.namespace}/ghost/20260101000000-0123456789abcdef.tar.gz`;
    expect(
      await alice.ask('POST', '/functions', { name: 'ghost', runtime: 'nodejs20', s3_key }),
    ).toMatchObject({
      status: 404,
      body: { code: 'NoSuchVersion' },
    });
    const outside = `contexts/${alice.namespace}/ghost/../../other/f/1.tar.gz`;
    expect(
      await alice.ask('POST', '/functions', { name: 'ghost', runtime: 'nodejs20', s3_key: outside }),
    ).toMatchObject({
      status: 403,
      body: { code: 'ForbiddenSource' },
    });
  });
});

describe('patch', () => {
  it('replaces each named field whole and leaves the rest', async () => {
    await alice.ask('POST', '/functions', {
      name: 'patched',
      runtime: 'nodejs20',
      env: { A: '1', B: '2' },
      replicas: 2,
      resources: { requests: { cpu: '1' }, limits: { cpu: '2', memory: '1Gi' } },
    });
    const answer = await alice.ask('PATCH', '/functions/patched', {
      env: { B: '3' },
      resources: { limits: { memory: '2Gi' } },
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ env: { B: '3' }, replicas: 2 });
    expect(answer.body.resources).toEqual({ limits: { memory: '2Gi' } });
    expect((await objectOf('patched')).spec).toMatchObject({ env: { B: '3' } });
    expect((await alice.ask('GET', '/functions/patched')).body).toEqual(answer.body);
  });

  it('brings back defaults for null', async () => {
    const answer = await alice.ask('PATCH', '/functions/patched', {
      env: null,
      replicas: null,
      resources: null,
      entrypoint: null,
    });
    expect(answer.body).toMatchObject({
      env: {},
      replicas: 1,
      resources: null,
      entrypoint: 'handler.handle',
    });
  });

  it('takes variables away that are called like what every object has', async () => {
    const env = { toString: '1', constructor: '2', valueOf: '3', A: '4' };
    await alice.ask('PATCH', '/functions/patched', { env });
    expect((await alice.ask('GET', '/functions/patched')).body.env).toEqual(env);
    await alice.ask('PATCH', '/functions/patched', { env: { A: '4' } });
    expect((await alice.ask('GET', '/functions/patched')).body.env).toEqual({ A: '4' });
  });

  it('changes nothing for nothing', async () => {
    const before = await objectOf('patched');
    expect((await alice.ask('PATCH', '/functions/patched', {})).status).toBe(200);
    expect(await objectOf('patched')).toEqual(before);
  });

  it.each([
    ['unknown fields', { replica: 2 }, 'replica: there is no such field'],
    ['its name', { name: 'other' }, 'name: there is no such field'],
    ['a runtime without default', { runtime: null }, 'runtime:'],
    ['values out of range', { concurrency: 1001 }, 'concurrency:'],
  ])('refuses %s', async (_, body, message) => {
    const answer = await alice.ask('PATCH', '/functions/patched', body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'InvalidRequest' } });
    expect(answer.body.error).toContain(message);
  });

  it('survives others writing the same object', async () => {
    await alice.ask('POST', '/functions', { name: 'busy', runtime: 'nodejs20' });
    const patches = Array.from({ length: 5 }, (_, index) =>
      alice.ask('PATCH', '/functions/busy', { env: { [`V${index}`]: 'x' } }),
    );
    const writes = Array.from({ length: 20 }, (_, index) =>
      api.cluster.patch(
        { kind: KINDS.Function, namespace: alice.namespace, name: 'busy' },
        { status: { message: `${index}` } },
        { subresource: 'status' },
      ),
    );
    await Promise.all(writes);
    for (const answer of await Promise.all(patches)) expect(answer.status).toBe(200);
    expect(Object.keys((await alice.ask('GET', '/functions/busy')).body.env as object)).toHaveLength(1);
  });

  it('is not found for what is not there', async () => {
    expect(await alice.ask('PATCH', '/functions/nobody', { replicas: 1 })).toMatchObject({
      status: 404,
      body: { code: 'NotFound', error: 'there is no function "nobody"' },
    });
  });
});

describe('list', () => {
  it('pages by name without gaps or repetitions', async () => {
    const erin = await tenantOf(api, 'erin');
    const names = Array.from({ length: 7 }, (_, index) => `f${index}`);
    for (const name of names.toReversed())
      await erin.ask('POST', '/functions', { name, runtime: 'nodejs20' });
    const seen: string[] = [];
    let query = '?limit=3';
    for (;;) {
      const { body } = await erin.ask('GET', `/functions${query}`);
      seen.push(...(body.items as { name: string }[]).map(({ name }) => name));
      if (body.next === null) break;
      query = `?limit=3&cursor=${encodeURIComponent(body.next as string)}`;
    }
    expect(seen).toEqual(names);
    expect((await erin.ask('GET', '/functions')).body.items).toHaveLength(7);
  });

  it.each(['0', '501', '-1', 'x', '1.5', ''])('refuses a limit of %j', async (limit) => {
    expect(await alice.ask('GET', `/functions?limit=${limit}`)).toMatchObject({
      status: 400,
      body: { code: 'InvalidRequest' },
    });
  });

  it('takes an empty cursor for none', async () => {
    for (const kind of ['functions', 'triggers']) {
      const answer = await alice.ask('GET', `/${kind}?cursor=&limit=2`);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual((await alice.ask('GET', `/${kind}?limit=2`)).body);
    }
  });

  it('refuses a cursor that it never gave', async () => {
    const { status } = await alice.ask('GET', '/functions?cursor=nonsense');
    expect([400, 410]).toContain(status);
  });
});
