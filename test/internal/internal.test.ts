import { once } from 'node:events';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SlessError } from '../../src/errors.ts';
import type { InternalDeps, InternalOptions } from '../../src/gateway/internal/deps.ts';
import type { TokenReview } from '../../src/ports/token-review.ts';
import type { KubeObject } from '../../src/resources/kube/object.ts';
import { type InternalServer, startInternal } from './internal-server.ts';

const KEY = 'contexts/team/hello/20260301120000-0123456789abcdef.tar.gz';
const OLD_KEY = 'contexts/team/hello/20260201120000-0123456789abcdef.tar.gz';
const CONTENT = Buffer.from('the context');

const username = (namespace: string) => `system:serviceaccount:${namespace}:builder`;
const opened = new Set<Readable>();

/** Objects by key; what is opened is known, so that a test can see that it was closed. */
const storeOf = (objects: Readonly<Record<string, () => Readable>>, size = CONTENT.length) => ({
  get: async (key: string) => {
    const make = objects[key];
    if (make === undefined) throw new SlessError('NotFound', `there is no object ${JSON.stringify(key)}`);
    const body = make();
    opened.add(body);
    return { key, size, modifiedAt: new Date(0), body };
  },
});
const content = () => Readable.from([CONTENT]);

const reviewed: string[] = [];
const tokens: TokenReview = {
  review: async (token, audience) => {
    reviewed.push(`${audience} ${token}`);
    return token === 'good'
      ? { username: username('team') }
      : token === 'other'
        ? { username: username('other') }
        : token === 'person'
          ? { username: 'team' }
          : token.startsWith('pod.')
            ? { username: username('team'), podUid: token.slice(4) }
            : undefined;
  },
};

let server: InternalServer;
const start = async (deps: Partial<InternalDeps> = {}, options: InternalOptions = {}) => {
  const store = storeOf({ [KEY]: content, [OLD_KEY]: content });
  server = await startInternal({ store, tokens, ...deps }, options);
  await server.cluster.create({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'team', labels: { 'sless.dev/tenant': 'true' } },
  });
  await server.cluster.create({
    apiVersion: 'sless.dev/v1alpha1',
    kind: 'Function',
    metadata: { name: 'hello', namespace: 'team' },
    spec: { runtime: 'python3.11', s3Key: KEY },
  });
};
beforeEach(() => {
  reviewed.length = 0;
  opened.clear();
});
afterEach(() => server.close());

const ask = async (path: string, token: string | undefined = 'good') => {
  const response = await fetch(`${server.origin}${path}`, {
    headers: token === undefined || token === '' ? {} : { authorization: `Bearer ${token}` },
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return { response, text, body: isJson ? JSON.parse(text) : {} };
};
const path = (key = KEY, place = 'team/hello') =>
  `/internal/contexts/${place}?key=${encodeURIComponent(key)}`;

test('a pod of the namespace gets what its function asks for, whole', async () => {
  await start();
  const { response, text } = await ask(path());
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-length': '11',
    'content-type': 'application/gzip',
    'cache-control': 'no-store',
  });
  expect(text).toBe('the context');
  expect(reviewed).toEqual(['sless-api good']);
});

const labelsOf = (name: string) => ({ 'sless.dev/component': 'build', 'sless.dev/function': name });
const podSpec = { restartPolicy: 'Never', containers: [{ name: 'push', image: 'crane' }] };

const createJob = (name: string, key: string, of = 'hello') =>
  server.cluster.create({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      namespace: 'team',
      labels: labelsOf(of),
      annotations: { 'sless.dev/built-key': key },
    },
    spec: { template: { spec: podSpec } },
  });

/** @returns its token */
async function createPod(
  job: KubeObject,
  labels: Record<string, string> = labelsOf('hello'),
): Promise<string> {
  const { name, uid = '' } = job.metadata;
  const owner = { apiVersion: 'batch/v1', kind: 'Job', name, uid, controller: true };
  const metadata = { name: `${name}-x`, namespace: 'team', labels, ownerReferences: [owner] };
  const pod = await server.cluster.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec: podSpec });
  return `pod.${pod.metadata.uid}`;
}

test('what a running build was begun for is given too, though the function wants something newer', async () => {
  await start();
  expect((await ask(path(OLD_KEY))).body).toMatchObject({ code: 'Forbidden' });
  await createJob('hello-b-1', OLD_KEY);
  expect((await ask(path(OLD_KEY))).text).toBe('the context');
});

test('a token that was made for a pod is good for the build of that pod alone', async () => {
  await start();
  const older = await createPod(await createJob('hello-b-1', OLD_KEY));
  const newer = await createPod(await createJob('hello-b-2', KEY));
  expect((await ask(path(OLD_KEY), older)).text).toBe('the context');
  expect((await ask(path(KEY), newer)).text).toBe('the context');
  for (const [key, token] of [
    [KEY, older],
    [OLD_KEY, newer],
  ])
    expect((await ask(path(key), token)).body).toMatchObject({ code: 'Forbidden' });
});

test('pods of other functions and of no build get nothing', async () => {
  await start();
  const job = await createJob('other-b-1', KEY, 'other');
  const tokens = [
    await createPod(job, labelsOf('other')),
    await createPod({ ...job, metadata: { ...job.metadata, name: 'stray' } }),
    'pod.00000000-0000-0000-0000-000000000000',
  ];
  for (const token of tokens) expect((await ask(path(KEY), token)).body).toMatchObject({ code: 'Forbidden' });
});

test.each([
  ['no token', path(), '', 401, 'Unauthenticated'],
  ['a token that the cluster does not know', path(), 'stale', 401, 'Unauthenticated'],
  ['a token longer than any', path(), 'x'.repeat(9000), 401, 'Unauthenticated'],
  ['a token of another namespace', path(), 'other', 403, 'Forbidden'],
  ['a token of no service account', path(), 'person', 403, 'Forbidden'],
  ['a key of another function', path(KEY.replace('hello', 'other')), 'good', 403, 'ForbiddenSource'],
  ['a key of another namespace', path(KEY.replace('team', 'other')), 'good', 403, 'ForbiddenSource'],
  ['a key that climbs', path('contexts/team/hello/../../other/hello/x'), 'good', 403, 'ForbiddenSource'],
  ['no key', '/internal/contexts/team/hello', 'good', 403, 'ForbiddenSource'],
  ['a function that is not there', path(KEY, 'team/absent'), 'good', 403, 'ForbiddenSource'],
  [
    'a function that is not there, its own key',
    path(KEY.replace('hello', 'absent'), 'team/absent'),
    'good',
    404,
    'NotFound',
  ],
  ['names that are none', path(KEY, 'team/hel%2Flo'), 'good', 400, 'InvalidRequest'],
  ['another route', '/internal/secrets', 'good', 404, 'NotFound'],
])('%s is refused', async (_what, target, token, status, code) => {
  await start();
  const { response, body } = await ask(target, token);
  expect(response.status).toBe(status);
  expect(body).toEqual({ error: expect.any(String), code });
  if (token.length > 4) expect(body.error).not.toContain(token);
  expect(opened.size).toBe(0);
});

test('a key under which nothing is stored is told as such', async () => {
  await start({ store: storeOf({}) });
  const { response, body } = await ask(path());
  expect(response.status).toBe(404);
  expect(body).toEqual({ error: `there is nothing stored under ${KEY}`, code: 'NoSuchVersion' });
});

test('what cannot be found out now, or not by us, is tried again later', async () => {
  for (const code of ['Unavailable', 'Forbidden'] as const) {
    const failing: TokenReview = { review: () => Promise.reject(new SlessError(code, 'no')) };
    await start({ tokens: failing });
    expect((await ask(path())).response.status).toBe(503);
    await server.close();
  }
  const away = { get: () => Promise.reject(new SlessError('Unavailable', 'the object store is away')) };
  await start({ store: away });
  const { response } = await ask(path());
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('5');
});

test('more contexts than can be streamed at once are told to come again', async () => {
  const waiting = () => new Readable({ read: () => undefined });
  await start({ store: storeOf({ [KEY]: waiting }) }, { atOnce: 1 });
  const leaving = new AbortController();
  const headers = { authorization: 'Bearer good' };
  const first = fetch(`${server.origin}${path()}`, { headers, signal: leaving.signal });
  await vi.waitFor(() => expect(opened.size).toBe(1));
  const { response, body } = await ask(path());
  expect(response.status).toBe(429);
  expect(response.headers.get('retry-after')).toBe('1');
  expect(body.code).toBe('TooManyRequests');
  leaving.abort();
  await expect(first).rejects.toThrow();
  await vi.waitFor(async () => expect([...opened].every(({ destroyed }) => destroyed)).toBe(true));
});

test('a store that breaks off is a body that is too short, and a reader that leaves frees the store', async () => {
  const breaking = () =>
    Readable.from(
      (async function* () {
        yield CONTENT.subarray(0, 3);
        throw new Error('the store broke off');
      })(),
    );
  await start({ store: storeOf({ [KEY]: breaking }) });
  await expect(ask(path())).rejects.toThrow();
  await vi.waitFor(() => expect([...opened].every(({ destroyed }) => destroyed)).toBe(true));
});

test('a reader that takes nothing is given up', async () => {
  const endless = () =>
    new Readable({
      read() {
        this.push(Buffer.alloc(65_536));
      },
    });
  await start({ store: storeOf({ [KEY]: endless }, 2 ** 40) }, { silenceMs: 200 });
  const asking = request(`${server.origin}${path()}`, { headers: { authorization: 'Bearer good' } }).end();
  const [answer] = await once(asking, 'response');
  answer.on('error', () => undefined);
  asking.on('error', () => undefined);
  answer.pause();
  await vi.waitFor(() => expect([...opened].every(({ destroyed }) => destroyed)).toBe(true), 10_000);
});

test('the probe needs no token', async () => {
  await start();
  expect((await ask('/healthz', '')).text).toBe('ok');
});
