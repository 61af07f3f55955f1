import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { receive, SERVER_OPTIONS } from '../../src/gateway/entrance/server.ts';
import { type ApiServer, startApi, tokenFor } from '../api/api-server.ts';
import { type InternalServer, startInternal } from '../internal/internal-server.ts';
import { listen, pod, raw, stage } from '../proxy/stage.ts';

/** Bytes of a request, with `/` for the path of each app, and the answer that is wanted. */
type Try = readonly [string, string, number, string];

const UNSOUND: readonly Try[] = [
  ['no Host', 'GET / HTTP/1.1\r\n\r\n', 400, 'InvalidRequest'],
  ['two Hosts', 'GET / HTTP/1.1\r\nHost: x\r\nhost: x\r\n\r\n', 400, 'InvalidRequest'],
  ['two Hosts of HTTP/1.0', 'GET / HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n', 400, 'InvalidRequest'],
  ...[
    '',
    'a b',
    'user@x',
    'user:pass@x',
    'x/path',
    'x?q',
    'x#f',
    'x\\y',
    'x:80:81',
    'x:80a',
    'x:',
    'x:65536',
    ':80',
    'x,y',
    'x;y',
    '%78',
    '<x>',
    "x'y",
    '[::1',
    '::1',
    '[::1]x',
    '[x]',
    'caf\xe9',
    'http://x',
  ].map((host): Try => [`Host: ${host}`, `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`, 400, 'InvalidRequest']),
  ['HTTP/2.0', 'GET / HTTP/2.0\r\nHost: x\r\n\r\n', 505, 'HttpVersionNotSupported'],
  ['HTTP/0.9', 'GET / HTTP/0.9\r\nHost: x\r\n\r\n', 505, 'HttpVersionNotSupported'],
  ['a version left out', 'GET /\r\n\r\n', 505, 'HttpVersionNotSupported'],
  ['HTTP/1.2', 'GET / HTTP/1.2\r\nHost: x\r\n\r\n', 505, 'HttpVersionNotSupported'],
  ['HTTP/3.0', 'GET / HTTP/3.0\r\nHost: x\r\n\r\n', 505, 'HttpVersionNotSupported'],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 505, 'HttpVersionNotSupported'],
  [
    'chunks in HTTP/1.0',
    'POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
    'InvalidRequest',
  ],
  [
    'chunks in HTTP/1.0 that is kept alive',
    'POST / HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n',
    400,
    'InvalidRequest',
  ],
  ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'InvalidRequest'],
  ['the absolute form', 'GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'InvalidRequest'],
  ['CONNECT', 'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'InvalidRequest'],
  ['CONNECT with more behind it', 'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\nmore', 400, 'InvalidRequest'],
  ['another expectation', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: more\r\n\r\n', 417, 'ExpectationFailed'],
  ['no HTTP', 'hello\r\n\r\n', 400, 'InvalidRequest'],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, 'InvalidRequest'],
  ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n', 400, 'InvalidRequest'],
  ['a space before a colon', 'GET / HTTP/1.1\r\nHost: x\r\nX : a\r\n\r\n', 400, 'InvalidRequest'],
  [
    'a length beside chunks',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
    400,
    'InvalidRequest',
  ],
  [
    'headers that are too large',
    `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`,
    431,
    'HeadersTooLarge',
  ],
];

let api: ApiServer;
let internal: InternalServer;

beforeAll(async () => {
  api = await startApi();
  internal = await startInternal({ store: api.store, tokens: { review: async () => undefined } });
});
afterAll(async () => {
  await internal.close();
  await api.close();
});

/** The port of an app, and a path of it that anyone may ask. */
const APPS: Readonly<Record<string, () => Promise<{ readonly port: number; readonly path: string }>>> = {
  proxy: async () => ({ port: (await stage()).port, path: '/fn/ns/f' }),
  api: async () => ({ port: api.port, path: '/healthz' }),
  internal: async () => ({ port: Number(new URL(internal.origin).port), path: '/healthz' }),
};

describe.each(Object.entries(APPS))('the %s', (name, open) => {
  test.each(UNSOUND)('refuses %s in the form of all errors', async (_, bytes, status, code) => {
    const { port, path } = await open();
    // The connection ends by itself: `raw` waits for that.
    const answer = await raw(port, bytes.replace(' / ', ` ${path} `).replace('GET /\r', `GET ${path}\r`));
    expect([answer.status, JSON.parse(answer.body)]).toEqual([status, { error: expect.any(String), code }]);
    expect(answer.head).toMatch(/\r\nContent-Type: application\/json/i);
    expect(answer.head).toMatch(/\r\nConnection: close/i);
    expect(answer.head).toMatch(new RegExp(`\r\nContent-Length: ${answer.body.length}(\r\n|$)`, 'i'));
    expect(answer.head).toMatch(/\r\nX-Request-Id: [0-9a-f]{32}/i);
  });

  test.each([
    'x',
    'X.example.com.',
    'a_b',
    '127.0.0.1:8080',
    '[::1]:8080',
    '[::ffff:1.2.3.4]',
    'xn--bcher-kva.de',
  ])('takes Host: %s', async (host) => {
    const { port, path } = await open();
    const answer = await raw(port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(answer.status).toBe(name === 'proxy' ? 404 : 200);
  });

  test('refuses an upgrade of what speaks no other protocol', async () => {
    const { port } = await open();
    const answer = await raw(
      port,
      'GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    );
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([400, 'InvalidRequest']);
  });
});

test('HTTP/1.0 needs no Host at the proxy', async () => {
  const { port } = await pod((_, response) => response.end('ok'));
  const { serve, port: front } = await stage();
  serve('ns', 'f', [port]);
  const answer = await raw(front, 'GET /fn/ns/f HTTP/1.0\r\n\r\n');
  expect([answer.status, answer.body]).toEqual([200, 'ok']);
});

test('what makes no URL is refused by the api as all else is', async () => {
  const token = await tokenFor('someone');
  for (const [target, host] of [
    ['/v1\\x', 'x'],
    ['/v1/', '[1::2::3]'],
    ['/v1/', '[0:0::1]'],
  ]) {
    const answer = await raw(
      api.port,
      `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      (text) => text.endsWith('}'),
    );
    expect([host, answer.status, JSON.parse(answer.body).code]).toEqual([host, 400, 'InvalidRequest']);
    expect(answer.head).toMatch(/content-length: \d/i);
  }
});

test('a head, or a body, that does not come in time is 408', async () => {
  const server = createServer({
    ...SERVER_OPTIONS,
    headersTimeout: 100,
    requestTimeout: 200,
    connectionsCheckingInterval: 50,
  });
  const port = await listen(receive(server, { request: (request) => void request.resume() }));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  for (const bytes of [
    'GET / HTTP/1.1\r\nHost: x\r\n',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab',
  ]) {
    const answer = await raw(port, bytes);
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      408,
      { error: 'the request did not arrive in time', code: 'RequestTimeout' },
    ]);
    expect(answer.head).toContain('Connection: close');
  }
});
