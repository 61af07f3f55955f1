import { afterEach, beforeEach, expect, test } from 'vitest';
import { SlessError } from '../../src/errors.ts';
import type { AccessQuestion } from '../../src/ports/access-review.ts';
import { type ApiServer, startApi, tokenFor } from './api-server.ts';
import { PYTHON, zipOf } from './zips.ts';

let api: ApiServer;
let asked: AccessQuestion[];
let answer: (question: AccessQuestion) => Promise<boolean>;
beforeEach(async () => {
  asked = [];
  answer = async () => true;
  const access = {
    allows: (question: AccessQuestion) => {
      asked.push(question);
      return answer(question);
    },
  };
  api = await startApi({ deps: () => ({ access }) });
  for (const [name, labels] of [
    ['team', { 'sless.dev/tenant': 'true' }],
    ['kube-system', {}],
  ] as const)
    await api.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
});
afterEach(() => api.close());

const ask = async (method: string, path: string, body?: object | FormData, sub = 'bob') => {
  const isForm = body instanceof FormData;
  const response = await fetch(`${api.url}/v1/namespaces/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${await tokenFor(sub)}`,
      ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
};

test('a team whose namespace was labelled by hand makes a function there and uploads', async () => {
  expect(await ask('POST', 'team/ensure')).toMatchObject({ status: 200, body: { status: 'exists' } });
  const made = await ask('POST', 'team/functions', { name: 'hello', runtime: 'python3.11' });
  expect(made).toMatchObject({ status: 201, body: { namespace: 'team' } });
  const form = new FormData();
  form.set('code', new Blob([new Uint8Array(zipOf(PYTHON))]), 'code.zip');
  const uploaded = await ask('POST', 'team/functions/hello/upload', form);
  expect(uploaded).toMatchObject({
    status: 200,
    body: { s3_key: expect.stringMatching(/^contexts\/team\/hello\//) },
  });
  const bob = { user: 'bob', namespace: 'team', resource: 'functions' };
  expect(asked).toEqual([
    { ...bob, verb: 'list' },
    { ...bob, verb: 'create' },
    { ...bob, verb: 'patch', name: 'hello' },
  ]);
});

test('each operation is asked about as kubectl would name it, and a no is 403 that says what was asked', async () => {
  answer = async ({ verb }) => verb === 'list' || verb === 'get';
  expect((await ask('GET', 'team/functions')).status).toBe(200);
  const refused = await ask('DELETE', 'team/functions/hello');
  expect(refused).toMatchObject({ status: 403, body: { code: 'Forbidden' } });
  expect(refused.body.error).toContain('may not delete functions.sless.dev in team');
});

test('for the namespace of its own a subject is not asked about', async () => {
  const own = 'sless-81b637d8fcd2c6da';
  expect((await ask('POST', `${own}/ensure`, undefined, 'bob')).status).toBe(201);
  expect((await ask('GET', `${own}/functions`, undefined, 'bob')).status).toBe(200);
  expect(asked).toEqual([]);
});

test('a namespace that is not enabled, or not there, stays closed to whoever is allowed', async () => {
  expect(await ask('GET', 'kube-system/functions')).toMatchObject({ body: { code: 'NamespaceNotEnabled' } });
  expect(await ask('POST', 'kube-system/ensure')).toMatchObject({ body: { code: 'NamespaceNotEnabled' } });
  for (const path of ['absent/functions', 'absent/ensure'])
    expect(await ask(path.endsWith('ensure') ? 'POST' : 'GET', path)).toMatchObject({
      status: 404,
      body: { code: 'NamespaceNotFound' },
    });
});

test("a token cannot speak for Kubernetes' own users, nor about what is no namespace", async () => {
  expect((await ask('GET', 'team/functions', undefined, 'system:admin')).status).toBe(403);
  expect((await ask('GET', 'a%2Fb/functions')).status).toBe(403);
  expect((await ask('PUT', 'team/functions/x')).status).toBe(403);
  expect(asked).toEqual([]);
});

test('a cluster that cannot be asked, or lets sless not ask, is 503', async () => {
  for (const code of ['Unavailable', 'Forbidden'] as const) {
    answer = () => Promise.reject(new SlessError(code, 'subjectaccessreviews is forbidden'));
    expect(await ask('GET', 'team/functions')).toMatchObject({ status: 503, body: { code: 'Unavailable' } });
  }
});
