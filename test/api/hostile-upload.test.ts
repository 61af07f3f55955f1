import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SlessError } from '../../src/errors.ts';
import { KINDS } from '../../src/resources/kube/kinds.ts';
import { type ApiServer, startApi, type Tenant, tenantOf } from './api-server.ts';
import { PYTHON, zipOf } from './zips.ts';

/** A busy machine takes its time. */
const SOON = { timeout: 10_000 };

const MIB = 1_048_576;
let api: ApiServer;
let alice: Tenant;

async function open(overrides: Parameters<typeof startApi>[0] = {}): Promise<void> {
  api = await startApi(overrides);
  alice = await tenantOf(api, 'alice');
  await alice.ask('POST', '/functions', { name: 'f', runtime: 'python3.11' });
}
beforeEach(() => open());
afterEach(() => api.close());

/** Whatever was refused: no key, no object, no file, no open file. */
async function expectNothingKept(): Promise<void> {
  expect(await api.keys()).toEqual([]);
  await expectNothingTouched();
}

/** What others may have stored at the same moment under the same keys is not taken away: see `storeUpload`. */
async function expectNothingTouched(): Promise<void> {
  const object = await api.cluster.get({ kind: KINDS.Function, namespace: alice.namespace, name: 'f' });
  expect(object?.spec).not.toHaveProperty('s3Key');
  await expect.poll(() => api.leftovers(), SOON).toEqual([]);
  await expect.poll(openUploads, SOON).toEqual([]);
}

function openUploads(): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      return target.includes('sless-upload-') ? [target] : [];
    } catch {
      return []; // closed meanwhile
    }
  });
}

interface Sent {
  readonly status: number;
  readonly body: { readonly code: string; readonly error: string };
}

const BOUNDARY = 'b0undary';
const filePart = (name: string) =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"; filename="c.zip"\r\ncontent-type: application/zip\r\n\r\n`;
const textPart = (name: string) => `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n`;
const END = `\r\n--${BOUNDARY}--\r\n`;

function begin(headers: Record<string, string> = {}): { call: ClientRequest; answer: Promise<Sent> } {
  const call = request({
    port: api.port,
    host: '127.0.0.1',
    method: 'POST',
    path: `/v1/namespaces/${alice.namespace}/functions/f/upload`,
    headers: {
      authorization: `Bearer ${alice.token}`,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      ...headers,
    },
  });
  const answer = new Promise<Sent>((resolve, reject) => {
    call.on('error', reject);
    call.on('response', async (response: IncomingMessage) => {
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(await text(response)) });
    });
  });
  answer.catch(() => undefined);
  return { call, answer };
}

/** Sends up to `limit` bytes until the answer comes or the connection ends. @returns the bytes that were taken. */
async function flood(call: ClientRequest, answer: Promise<unknown>, limit: number): Promise<number> {
  const chunk = Buffer.alloc(256 * 1024, 7);
  let over = false;
  const ended = new Promise<void>((resolve) => {
    const stop = () => {
      over = true;
      resolve();
    };
    answer.then(stop, stop);
    call.once('close', stop);
  });
  let sent = 0;
  while (!over && sent < limit) {
    const roomy = call.write(chunk);
    sent += chunk.length;
    if (!roomy) await Promise.race([once(call, 'drain').catch(() => undefined), ended]);
  }
  return sent;
}

/** Bytes of this process's heap and buffers: client and server alike. */
function memoryInUse(): number {
  const { external, heapUsed } = process.memoryUsage();
  return external + heapUsed;
}

describe('too much', () => {
  it.each([
    ['a 3 GB zip in chunks without a length', filePart('code')],
    ['a huge text beside nothing', textPart('note')],
    ['a small zip and then a huge text', `${filePart('code')}PK\r\n${textPart('note')}`],
    ['a form that never begins', 'x'],
  ])('%s is 413, early, in little memory', async (_, head) => {
    const { call, answer } = begin();
    const before = memoryInUse();
    let peak = 0;
    const watch = setInterval(() => {
      peak = Math.max(peak, memoryInUse());
    }, 5);
    call.write(head);
    const sent = await flood(call, answer, 3 * 1024 * MIB);
    clearInterval(watch);
    expect(await answer).toMatchObject({ status: 413, body: { code: 'PayloadTooLarge' } });
    call.destroy();
    expect(sent).toBeLessThan(128 * MIB);
    expect(peak - before).toBeLessThan(64 * MIB);
    await expectNothingKept();
  });

  it('is told by its length before a byte is read', async () => {
    const { call, answer } = begin({ 'content-length': String(3 * 1024 * MIB) });
    call.flushHeaders();
    expect(await answer).toMatchObject({ status: 413, body: { code: 'PayloadTooLarge' } });
    call.destroy();
    await expectNothingKept();
  });

  it('is a zip of 32 MiB and one byte', async () => {
    const form = new FormData();
    form.set('code', new Blob([new Uint8Array(32 * MIB + 1)]), 'c.zip');
    expect(await alice.ask('POST', '/functions/f/upload', form)).toMatchObject({ status: 413 });
    await expectNothingKept();
  });

  it('is not a zip of exactly 32 MiB: that one is looked at', async () => {
    const form = new FormData();
    form.set('code', new Blob([new Uint8Array(32 * MIB)]), 'c.zip');
    expect(await alice.ask('POST', '/functions/f/upload', form)).toMatchObject({
      status: 400,
      body: { code: 'InvalidArchive' },
    });
    await expectNothingKept();
  });
});

describe('who may not', () => {
  it.each([
    ['no token', { authorization: '' }, 401, 'Unauthenticated'],
    ['a wrong token', { authorization: 'Bearer a.b.c' }, 401, 'Unauthenticated'],
  ])('with %s is told so before the body is read', async (_, headers, status, code) => {
    const { call, answer } = begin(headers);
    call.write(filePart('code'));
    const sent = await flood(call, answer, 3 * 1024 * MIB);
    expect(await answer).toMatchObject({ status, body: { code } });
    call.destroy();
    expect(sent).toBeLessThan(96 * MIB);
    await expectNothingKept();
  });

  it('is told in the order token, namespace, function, body', async () => {
    const broken = { method: 'POST', body: 'no form', headers: { 'content-type': 'text/plain' } };
    const at = (path: string, token?: string) =>
      fetch(`${api.url}/v1/namespaces/${path}/upload`, {
        ...broken,
        headers: { ...broken.headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      }).then(({ status }) => status);
    const bob = await tenantOf(api, 'bob', { fresh: true });
    expect(await at(`${alice.namespace}/functions/f`)).toBe(401);
    expect(await at(`${alice.namespace}/functions/f`, bob.token)).toBe(403);
    expect(await at(`${bob.namespace}/functions/f`, bob.token)).toBe(404);
    expect(await at(`${alice.namespace}/functions/g`, alice.token)).toBe(404);
    expect(await at(`${alice.namespace}/functions/f`, alice.token)).toBe(415);
  });
});

describe('a wrong form', () => {
  const send = async (body: string, headers: Record<string, string> = {}) => {
    const { call, answer } = begin(headers);
    call.end(body);
    return answer;
  };
  it.each([
    ['without the field', `${filePart('file')}x${END}`, '"file": there is no such field; send "code"'],
    [
      'with the field as text',
      `${textPart('code')}x${END}`,
      'code: send it as a file (curl -F code=@function.zip)',
    ],
    ['with another text', `${textPart('note')}x${END}`, '"note": there is no such field; send "code"'],
    ['with two files', `${filePart('code')}x\r\n${filePart('code')}y${END}`, 'code: send one file'],
    ['with nothing in it', `--${BOUNDARY}--\r\n`, 'code: is required: the zip, as a file'],
    ['that ends too early', `${filePart('code')}x`, 'the form is malformed or ends too early'],
    ['that is empty', '', 'the form is malformed or ends too early'],
  ])('%s is refused by name', async (_, body, error) => {
    expect(await send(body)).toMatchObject({ status: 400, body: { code: 'InvalidRequest', error } });
    await expectNothingKept();
  });

  it('that is none is 415, and one without a boundary 400', async () => {
    expect(await send('{}', { 'content-type': 'application/json' })).toMatchObject({ status: 415 });
    expect(await send('x', { 'content-type': 'multipart/form-data; charset=x' })).toMatchObject({
      status: 400,
    });
  });
});

describe('a wrong zip', () => {
  it.each([
    ['no zip', new Uint8Array([1, 2, 3]), 'InvalidArchive'],
    ['an entry that leaves the folder', zipOf({ '../x': '', ...PYTHON }), 'InvalidArchive'],
    ['no entrypoint', zipOf({ 'main.py': '' }), 'EntrypointNotFound'],
  ])('(%s) is refused and nothing is kept', async (_, zip, code) => {
    expect(await alice.upload('f', zip)).toMatchObject({ status: 400, body: { code } });
    await expectNothingKept();
  });
});

describe('a sender that leaves', () => {
  it('leaves nothing behind', async () => {
    const { call } = begin();
    call.on('error', () => undefined);
    call.write(filePart('code') + 'x'.repeat(100_000));
    await expect.poll(openUploads, SOON).toHaveLength(1);
    call.destroy();
    await expectNothingKept();
  });
});

describe('a sender that falls silent', () => {
  it('is told, and leaves nothing behind', async () => {
    await api.close();
    await open({ options: { uploadSilenceMs: 50 } });
    const { call, answer } = begin();
    call.write(filePart('code'));
    expect(await answer).toMatchObject({
      status: 400,
      body: { code: 'InvalidRequest', error: 'the upload was broken off: nothing came for too long' },
    });
    call.destroy();
    await expectNothingKept();
  });
});

describe('at once', () => {
  it('only so many of one tenant, and others are not held up', async () => {
    await api.close();
    await open({ options: { uploadsPerTenant: 2, uploadWaitMs: 100 } });
    const slow = [begin(), begin()];
    for (const { call } of slow) call.write(filePart('code'));
    await expect.poll(() => api.leftovers(), SOON).toHaveLength(2);
    const refused = await alice.upload('f', zipOf(PYTHON));
    expect(refused).toMatchObject({ status: 429, body: { code: 'TooManyRequests' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const bob = await tenantOf(api, 'bob');
    await bob.ask('POST', '/functions', { name: 'f', runtime: 'python3.11' });
    expect((await bob.upload('f', zipOf(PYTHON))).status).toBe(200);
    for (const { call } of slow) call.on('error', () => undefined).destroy();
    await expect.poll(async () => (await alice.upload('f', zipOf(PYTHON))).status, SOON).toBe(200);
  });

  it('ten of one tenant, as tools send them, all get their turn', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => alice.upload('f', zipOf(PYTHON))));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(await api.leftovers()).toEqual([]);
  });

  it('who leaves while it waits is forgotten', async () => {
    await api.close();
    await open({ options: { uploadsPerTenant: 1 } });
    const first = begin();
    first.call.on('error', () => undefined).write(filePart('code'));
    await expect.poll(() => api.leftovers(), SOON).toHaveLength(1);
    const second = begin();
    second.call.on('error', () => undefined).write(filePart('code'));
    const third = alice.upload('f', zipOf(PYTHON));
    second.call.destroy();
    first.call.destroy();
    expect((await third).status).toBe(200);
  });
});

describe('when others fail', () => {
  it('a store that breaks in the middle touches nothing, and no context is there', async () => {
    await api.close();
    await open({
      deps: ({ store }) => ({
        store: {
          ...store,
          put: (key, body, options) =>
            key.startsWith('contexts/')
              ? Promise.reject(new SlessError('Unavailable', 'the object store is away'))
              : store.put(key, body, options),
        },
      }),
    });
    expect(await alice.upload('f', zipOf(PYTHON))).toMatchObject({
      status: 503,
      body: { code: 'Unavailable' },
    });
    await expectNothingTouched();
    expect((await api.keys()).filter((key) => key.startsWith('contexts/'))).toEqual([]);
  });

  it('a function deleted during the upload is 404 and keeps nothing', async () => {
    const { call, answer } = begin();
    call.write(filePart('code'));
    await expect.poll(() => api.leftovers(), SOON).toHaveLength(1);
    await api.cluster.delete({ kind: KINDS.Function, namespace: alice.namespace, name: 'f' });
    await alice.ask('POST', '/functions', { name: 'f', runtime: 'python3.11' });
    call.write(zipOf(PYTHON));
    call.end(END);
    expect(await answer).toMatchObject({ status: 404, body: { code: 'NotFound' } });
    await expectNothingKept();
  });

  const refused = () =>
    Promise.reject(new SlessError('Invalid', 'no', { details: ['spec.s3Key: must not be so'] }));

  it('a cluster that refuses the key in the end says why, and nothing points at the code', async () => {
    await api.close();
    await open({ deps: ({ cluster }) => ({ cluster: { ...cluster, patch: refused } }) });
    expect(await alice.upload('f', zipOf(PYTHON))).toMatchObject({
      status: 400,
      body: { code: 'InvalidRequest', details: ['s3_key: must not be so'] },
    });
    await expectNothingTouched();
  });

  it('an upload that fails leaves what an identical one of the same second has stored and pointed at', async () => {
    await api.close();
    const now = Date.now();
    // The first to come this far waits until the second one is through, and is refused then.
    const second = Promise.withResolvers<void>();
    const first = Promise.withResolvers<void>();
    let patches = 0;
    await open({
      deps: ({ cluster }) => ({
        clock: { now: () => now },
        cluster: {
          ...cluster,
          patch: async (...args) => {
            patches += 1;
            if (patches > 1) return cluster.patch(...args);
            first.resolve();
            await second.promise;
            return refused();
          },
        },
      }),
    });
    const failing = alice.upload('f', zipOf(PYTHON));
    await first.promise;
    const { status, body } = await alice.upload('f', zipOf(PYTHON));
    expect(status).toBe(200);
    second.resolve();
    expect((await failing).status).toBe(400);
    expect(await api.keys()).toContain(body.s3_key);
    expect((await alice.ask('GET', '/functions/f/source')).status).toBe(200);
  });
});
