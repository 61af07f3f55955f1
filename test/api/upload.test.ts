import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KINDS } from '../../src/resources/kube/kinds.ts';
import type { KubeObject } from '../../src/resources/kube/object.ts';
import { type ApiServer, sha256, startApi, type Tenant, tenantOf } from './api-server.ts';
import { NODE, PYTHON, zipOf } from './zips.ts';

let api: ApiServer;
let alice: Tenant;

beforeAll(async () => {
  api = await startApi();
  alice = await tenantOf(api, 'alice');
});
afterAll(() => api.close());

const refOf = (name: string) => ({ kind: KINDS.Function, namespace: alice.namespace, name });
const objectOf = async (name: string): Promise<KubeObject> => {
  const object = await api.cluster.get(refOf(name));
  if (object === undefined) throw new Error(`there is no function ${name}`);
  return object;
};
const specOf = async (name: string) => (await objectOf(name)).spec as Record<string, unknown>;
const annotationsOf = async (name: string) => (await objectOf(name)).metadata.annotations ?? {};
const create = (name: string, runtime = 'python3.11') => alice.ask('POST', '/functions', { name, runtime });
const setStatus = (name: string, status: object) =>
  api.cluster.patch(refOf(name), { status }, { subresource: 'status' });
const runtimeImage = 'registry.local/sless-runtime-python3.11:v0.1.0';
const keysOf = async (name: string) => (await api.keys()).filter((key) => key.includes(`/${name}/`));
const historyEntry = (key: string, image = 'registry/i@sha256:1') => ({
  key,
  image,
  runtimeImage,
  builtAt: '2026-01-01T00:00:00Z',
});

describe('an upload', () => {
  it('stores the zip and the context, then writes the key', async () => {
    await create('first');
    const zip = zipOf(PYTHON);
    const answer = await alice.upload('first', zip);
    const s3_key = answer.body.s3_key as string;
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      s3_key: expect.stringMatching(
        new RegExp(`^contexts/${alice.namespace}/first/\\d{14}-[0-9a-f]{16}\\.tar\\.gz$`),
      ),
      s3_bucket: 'sless',
      phase: 'Pending',
      message: 'build queued',
      code_hash: sha256(`644 ${sha256(PYTHON['handler.py'])} handler.py\n`),
    });
    expect(await specOf('first')).toMatchObject({ s3Key: s3_key, s3Bucket: 'sless' });
    expect(await annotationsOf('first')).toMatchObject({
      'sless.dev/build-plan': `${s3_key}=append`,
      'sless.dev/code-hash': `${s3_key}=${answer.body.code_hash}`,
    });
    const zipKey = s3_key.replace('contexts/', 'functions/').replace('.tar.gz', '.zip');
    expect(await keysOf('first')).toEqual(expect.arrayContaining([s3_key, zipKey]));
    expect((await api.store.head(zipKey))?.size).toBe(zip.length);
    expect((await alice.ask('GET', '/functions/first')).body).toMatchObject({
      s3_key,
      code_hash: answer.body.code_hash,
      phase: 'Pending',
    });
    expect(await api.leftovers()).toEqual([]);
  });

  it('plans a Dockerfile build where there are dependencies', async () => {
    await create('deps');
    const { body } = await alice.upload('deps', zipOf({ ...PYTHON, 'requirements.txt': 'six\n' }));
    expect(await annotationsOf('deps')).toMatchObject({
      'sless.dev/build-plan': `${body.s3_key}=dockerfile`,
    });
  });

  it('gives its code back as source', async () => {
    await create('mirror');
    expect(await alice.ask('GET', '/functions/mirror/source')).toMatchObject({
      status: 404,
      body: { code: 'NoSuchVersion' },
    });
    await alice.upload('mirror', zipOf({ 'myfn/handler.py': 'x = "ü"\n', 'myfn/Dockerfile': 'FROM evil\n' }));
    const answer = await alice.ask('GET', '/functions/mirror/source');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual([
      { name: 'Dockerfile', size: 10, content: 'FROM evil\n' },
      { name: 'handler.py', size: 9, content: 'x = "ü"\n' },
    ]);
  });

  it('with patch=false stores, tells, and leaves the Function alone', async () => {
    await create('gitops');
    const before = await objectOf('gitops');
    const answer = await alice.upload('gitops', zipOf(PYTHON), '?patch=false');
    const s3_key = answer.body.s3_key as string;
    expect(answer).toMatchObject({
      status: 200,
      body: {
        s3_bucket: 'sless',
        annotations: {
          'sless.dev/build-plan': `${s3_key}=append`,
          'sless.dev/code-hash': `${s3_key}=${answer.body.code_hash}`,
        },
      },
    });
    expect(await objectOf('gitops')).toEqual(before);
    expect(await api.store.head(s3_key)).toBeDefined();
    const patched = await alice.ask('PATCH', '/functions/gitops', { s3_key });
    expect(patched.body).toMatchObject({ s3_key, code_hash: answer.body.code_hash });
    expect(await annotationsOf('gitops')).toMatchObject({ 'sless.dev/build-plan': `${s3_key}=append` });
    expect(await specOf('gitops')).toMatchObject({ s3Bucket: 'sless' });
    expect((await alice.ask('PATCH', '/functions/gitops', { s3_key: null })).body).toMatchObject({
      s3_key: null,
    });
    expect(await specOf('gitops')).not.toHaveProperty('s3Bucket');
  });
});

describe('content that is known', () => {
  it('is not stored twice while its build is under way', async () => {
    await create('again');
    const first = await alice.upload('again', zipOf(PYTHON));
    const stored = await keysOf('again');
    const second = await alice.upload('again', zipOf(PYTHON, '2025-05-05T05:05:05Z'));
    expect(second.body).toEqual(first.body);
    expect(await keysOf('again')).toEqual(stored);
  });

  it('with a good build is set again', async () => {
    await create('built');
    const v1 = await alice.upload('built', zipOf(PYTHON));
    const v2 = await alice.upload('built', zipOf({ 'handler.py': 'handle = print\n' }));
    expect(v2.body.s3_key).not.toBe(v1.body.s3_key);
    await setStatus('built', { history: [historyEntry(v1.body.s3_key as string)] });
    const stored = await keysOf('built');
    const v3 = await alice.upload('built', zipOf(PYTHON, '2024-01-01T00:00:00Z'));
    expect(v3.body).toMatchObject({
      s3_key: v1.body.s3_key,
      message: 'already built',
      code_hash: v1.body.code_hash,
    });
    expect(await specOf('built')).toMatchObject({ s3Key: v1.body.s3_key });
    expect(await annotationsOf('built')).toMatchObject({
      'sless.dev/build-plan': `${v1.body.s3_key}=append`,
    });
    expect(await keysOf('built')).toEqual(stored);
  });

  it('with a good build for another runtime is built for this one', async () => {
    await create('moved');
    const both = { ...PYTHON, ...NODE };
    const v1 = await alice.upload('moved', zipOf(both));
    await setStatus('moved', { history: [historyEntry(v1.body.s3_key as string)] });
    await alice.upload('moved', zipOf({ ...both, x: '' }));
    await alice.ask('PATCH', '/functions/moved', { runtime: 'nodejs20' });
    expect((await alice.upload('moved', zipOf(both))).body).toMatchObject({ message: 'build queued' });
  });

  it('whose build failed is tried again', async () => {
    await create('broken');
    const first = await alice.upload('broken', zipOf(PYTHON));
    const s3_key = first.body.s3_key as string;
    const { generation } = (await objectOf('broken')).metadata;
    await setStatus('broken', {
      observedGeneration: generation,
      phase: 'Failed',
      message: 'pip said no',
      build: { key: s3_key, job: 'broken-1', uid: 'u', reason: 'BuildFailed' },
    });
    expect((await alice.ask('GET', '/functions/broken')).body.phase).toBe('Failed');
    const again = await alice.upload('broken', zipOf(PYTHON));
    expect(again.body).toMatchObject({ s3_key, phase: 'Pending', message: 'build queued' });
    const rebuild = (await annotationsOf('broken'))['sless.dev/rebuild'];
    expect(rebuild).toBeDefined();
    // The old failure is not the answer to the new try.
    expect((await alice.ask('GET', '/functions/broken')).body.phase).toBe('Pending');
    await setStatus('broken', {
      phase: 'Building',
      rebuild,
      build: { key: s3_key, job: 'broken-2', uid: null, reason: null, rebuild },
    });
    expect((await alice.ask('GET', '/functions/broken')).body.phase).toBe('Building');
  });

  it('is stored anew when the store has lost it', async () => {
    await create('lost');
    const first = await alice.upload('lost', zipOf(PYTHON));
    await api.store.delete(first.body.s3_key as string);
    const again = await alice.upload('lost', zipOf(PYTHON));
    expect(await api.store.head(again.body.s3_key as string)).toBeDefined();
    expect(await specOf('lost')).toMatchObject({ s3Key: again.body.s3_key });
  });

  it('uploaded by many at once ends in one key that is there', async () => {
    await create('crowd');
    const answers = await Promise.all(Array.from({ length: 4 }, () => alice.upload('crowd', zipOf(PYTHON))));
    for (const { status } of answers) expect(status).toBe(200);
    expect(await api.store.head((await specOf('crowd')).s3Key as string)).toBeDefined();
  });
});

describe('versions', () => {
  it('are the good builds, with their hashes, and can be gone back to', async () => {
    await create('versioned');
    expect((await alice.ask('GET', '/functions/versioned/versions')).body).toEqual({ items: [], next: null });
    const v1 = (await alice.upload('versioned', zipOf(PYTHON))).body;
    const v2 = (await alice.upload('versioned', zipOf({ 'handler.py': '# v2\n' }))).body;
    await setStatus('versioned', {
      image: 'registry/i@sha256:2',
      builtKey: v2.s3_key,
      runtimeImage,
      history: [
        historyEntry(v2.s3_key as string, 'registry/i@sha256:2'),
        { ...historyEntry(v1.s3_key as string), served: true },
      ],
      // The newer one is deployed and does not start.
      serving: { key: v1.s3_key, image: 'registry/i@sha256:1' },
    });
    expect((await alice.ask('GET', '/functions/versioned/versions')).body.items).toEqual([
      {
        s3_key: v2.s3_key,
        image: 'registry/i@sha256:2',
        built_at: '2026-01-01T00:00:00Z',
        code_hash: v2.code_hash,
        review: null,
        served: false,
        current: false,
      },
      {
        s3_key: v1.s3_key,
        image: 'registry/i@sha256:1',
        built_at: '2026-01-01T00:00:00Z',
        code_hash: v1.code_hash,
        review: null,
        served: true,
        current: true,
      },
    ]);
    const answer = await alice.ask('POST', '/functions/versioned/rollback', { s3_key: v1.s3_key });
    expect(answer).toMatchObject({ status: 202, body: { s3_key: v1.s3_key, phase: 'Pending' } });
    expect(await specOf('versioned')).toMatchObject({ s3Key: v1.s3_key, s3Bucket: 'sless' });
    expect(await annotationsOf('versioned')).toMatchObject({
      'sless.dev/build-plan': `${v1.s3_key}=append`,
      'sless.dev/code-hash': `${v1.s3_key}=${v1.code_hash}`,
    });
  });

  it('of one key are gone back behind, to the one that has taken calls', async () => {
    await create('rebuilt');
    const { s3_key: key } = (await alice.upload('rebuilt', zipOf(PYTHON))).body as { s3_key: string };
    await alice.ask('POST', '/functions/rebuilt/rebuild');
    const rebuild = (await annotationsOf('rebuilt'))['sless.dev/rebuild'];
    expect(rebuild).toBeDefined();
    await setStatus('rebuilt', {
      image: 'registry/i@sha256:2',
      builtKey: key,
      runtimeImage,
      builtRebuild: rebuild,
      history: [
        { ...historyEntry(key, 'registry/i@sha256:2'), rebuild },
        { ...historyEntry(key), served: true },
      ],
      serving: { key, image: 'registry/i@sha256:1' },
    });
    expect(await alice.ask('POST', '/functions/rebuilt/rollback', { s3_key: key })).toMatchObject({
      status: 202,
    });
    expect(await specOf('rebuilt')).toMatchObject({ s3Key: key });
    expect((await annotationsOf('rebuilt'))['sless.dev/rebuild']).toBeUndefined();
  });

  it('are all that a rollback goes back to', async () => {
    for (const s3_key of [
      `contexts/${alice.namespace}/versioned/x.tar.gz`,
      'contexts/other/f/x.tar.gz',
      '../x',
    ])
      expect(await alice.ask('POST', '/functions/versioned/rollback', { s3_key })).toMatchObject({
        status: 404,
        body: { code: 'NoSuchVersion' },
      });
    expect(await alice.ask('POST', '/functions/versioned/rollback', {})).toMatchObject({
      status: 400,
      body: { details: ['s3_key: is required'] },
    });
  });
});

describe('rebuild and restart', () => {
  it('set another value each time', async () => {
    await create('renewed');
    for (const action of ['rebuild', 'restart'])
      expect(await alice.ask('POST', `/functions/renewed/${action}`)).toMatchObject({
        status: 409,
        body: { code: 'AwaitingCode' },
      });
    await alice.upload('renewed', zipOf(PYTHON));
    for (const action of ['rebuild', 'restart']) {
      expect((await alice.ask('POST', `/functions/renewed/${action}`)).status).toBe(202);
      const one = (await annotationsOf('renewed'))[`sless.dev/${action}`];
      expect((await alice.ask('POST', `/functions/renewed/${action}`)).status).toBe(202);
      const two = (await annotationsOf('renewed'))[`sless.dev/${action}`];
      expect(one).toBeDefined();
      expect(two).not.toBe(one);
    }
  });
});

describe('another tenant', () => {
  it('cannot have code of others read to it', async () => {
    const mallory = await tenantOf(api, 'mallory');
    const { s3_key } = (await alice.upload('first', zipOf(PYTHON))).body;
    await mallory.ask('POST', '/functions', { name: 'spy', runtime: 'python3.11' });
    await api.cluster.patch(
      { kind: KINDS.Function, namespace: mallory.namespace, name: 'spy' },
      { spec: { s3Key: s3_key } },
    );
    expect(await mallory.ask('GET', '/functions/spy/source')).toMatchObject({
      status: 403,
      body: { code: 'ForbiddenSource' },
    });
    expect(await mallory.ask('PATCH', '/functions/spy', { s3_key })).toMatchObject({ status: 403 });
  });
});

describe('the store', () => {
  it('has the findings of each upload beside its zip', async () => {
    await create('found');
    const { s3_key, code_hash } = (await alice.upload('found', zipOf(PYTHON))).body as Record<string, string>;
    const key = (s3_key ?? '').replace('contexts/', 'functions/').replace('.tar.gz', '.json');
    expect(JSON.parse(await text((await api.store.get(key)).body))).toEqual({
      code_hash,
      build_plan: 'append',
    });
  });
});
