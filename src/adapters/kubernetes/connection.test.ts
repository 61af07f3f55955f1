import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test, vi } from 'vitest';
import { answer, type Handler, startScripted } from '../../../test/api-server/scripted.ts';
import { startRelay } from '../../../test/network/relay.ts';
import type { Access } from './access.ts';
import { type Connection, createConnection } from './connection.ts';

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

function connect(server: string, requestTimeoutMs = 5_000): Connection {
  const access = async () => ({ server, tls: {}, headers: { authorization: 'Bearer t' } });
  return keep(createConnection({ access, clock: Date }, { requestTimeoutMs }));
}

function keep(connection: Connection): Connection {
  opened.push(() => connection.close());
  return connection;
}

const get = { method: 'GET', path: '/api/v1/things' } as const;

test('a request carries its credentials, its query without what is absent, and its body as JSON', async () => {
  const api = await startScripted((_seen, response) => answer(response, { metadata: {} }, 201));
  const connection = connect(`${api.origin}/prefix`);
  await connection.request({
    method: 'PATCH',
    path: '/x',
    query: { a: 'b c', n: 1, yes: true, none: undefined },
    body: { é: null },
    contentType: 'application/merge-patch+json',
  });
  const [seen] = api.seen;
  expect(seen).toMatchObject({ method: 'PATCH', path: '/prefix/x', body: '{"é":null}' });
  expect(seen?.query.toString()).toBe('a=b+c&n=1&yes=true');
  expect(seen?.headers).toMatchObject({
    authorization: 'Bearer t',
    accept: 'application/json',
    'content-type': 'application/merge-patch+json',
  });
});

test('a server that does not answer in time is Unavailable, and its connection is given up', async () => {
  const api = await startScripted(() => undefined);
  const failed = connect(api.origin, 200).request(get);
  await expect(failed).rejects.toMatchObject({
    code: 'Unavailable',
    message: 'GET /api/v1/things: the API server cannot be reached (it took too long)',
  });
  await vi.waitFor(async () => expect(await api.connections()).toBe(0));
});

test('an answer whose body never ends is Unavailable', async () => {
  const api = await startScripted((_seen, response) => void response.writeHead(200).write('{'));
  await expect(connect(api.origin, 200).request(get)).rejects.toMatchObject({ code: 'Unavailable' });
});

test('a port that nobody listens on is Unavailable', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  await expect(connect(`http://127.0.0.1:${port}`).request(get)).rejects.toMatchObject({
    code: 'Unavailable',
    message: 'GET /api/v1/things: the API server cannot be reached (ECONNREFUSED)',
  });
});

test('an answer that is no JSON is Unavailable', async () => {
  const api = await startScripted((_seen, response) => void response.end('<html>'));
  await expect(connect(api.origin).request(get)).rejects.toMatchObject({ code: 'Unavailable' });
});

const breakFirst =
  (seen: string[]): Handler =>
  ({ method }, response) => {
    seen.push(method);
    if (seen.length === 1) response.socket?.resetAndDestroy();
    else answer(response, { fine: true });
  };

test('a read over a connection that breaks is asked once more', async () => {
  const seen: string[] = [];
  const api = await startScripted(breakFirst(seen));
  await expect(connect(api.origin).request(get)).resolves.toEqual({ fine: true });
  expect(seen).toEqual(['GET', 'GET']);
});

test.each(['POST', 'PATCH', 'PUT', 'DELETE'] as const)(
  'a %s over a connection that breaks is not repeated: it may have been done',
  async (method) => {
    const seen: string[] = [];
    const api = await startScripted(breakFirst(seen));
    const failed = connect(api.origin).request({ method, path: '/x', body: {} });
    await expect(failed).rejects.toMatchObject({ code: 'Unavailable' });
    expect(seen).toEqual([method]);
  },
);

test('a refused token is read again, once', async () => {
  const tokens = ['old', 'new', 'newer'];
  const api = await startScripted(({ headers }, response) => {
    if (headers.authorization === 'Bearer new') answer(response, { fine: true });
    else answer(response, {}, 401);
  });
  const access = async (): Promise<Access> => ({
    server: api.origin,
    tls: {},
    headers: { authorization: `Bearer ${tokens.shift()}` },
  });
  const connection = keep(createConnection({ access, clock: { now: () => 0 } }));
  await expect(connection.request(get)).resolves.toEqual({ fine: true });
  await expect(connection.request(get)).resolves.toEqual({ fine: true });
  expect(api.seen.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer old',
    'Bearer new',
    'Bearer new',
  ]);
});

test('a token that stays refused is Unavailable after two tries', async () => {
  const api = await startScripted((_seen, response) => answer(response, {}, 401));
  await expect(connect(api.origin).request(get)).rejects.toMatchObject({ code: 'Unavailable' });
  expect(api.seen).toHaveLength(2);
});

test('credentials that cannot be read are Unavailable and say why', async () => {
  const access = async (): Promise<Access> => {
    throw new Error('no such file: /token');
  };
  await expect(keep(createConnection({ access, clock: Date })).request(get)).rejects.toMatchObject({
    code: 'Unavailable',
    message: 'no credentials for the API server: no such file: /token',
  });
});

test('at most sixteen requests run at once, the rest wait; streams have room beside them', async () => {
  const waiting: (() => void)[] = [];
  const api = await startScripted(({ path }, response) => {
    if (path === '/stream') response.writeHead(200).write('x');
    else waiting.push(() => answer(response, {}));
  });
  const connection = connect(api.origin);
  const requests = Array.from({ length: 40 }, () => connection.request(get));
  await vi.waitFor(() => expect(waiting).toHaveLength(16));
  const ending = new AbortController();
  await connection.stream({ method: 'GET', path: '/stream' }, { signal: ending.signal, silenceMs: 0 });
  expect(await api.connections()).toBe(17);
  for (let answered = 0; answered < 40; answered++) {
    await vi.waitFor(() => expect(waiting.length).toBeGreaterThan(0));
    waiting.shift()?.();
  }
  await Promise.all(requests);
  expect(await api.connections()).toBe(17);
  ending.abort();
});

test('connections are kept for the next request', async () => {
  const api = await startScripted((_seen, response) => answer(response, {}));
  const relay = await startRelay({ host: '127.0.0.1', port: api.port });
  opened.push(() => relay.close());
  const connection = connect(`http://127.0.0.1:${relay.port}`);
  for (let turn = 0; turn < 20; turn++) await connection.request(get);
  expect(relay.accepted()).toBeLessThan(4);
});

test('a refused stream fails as a request does', async () => {
  const api = await startScripted((_seen, response) =>
    answer(response, { kind: 'Status', reason: 'Expired' }, 410),
  );
  const { signal } = new AbortController();
  await expect(connect(api.origin).stream(get, { signal, silenceMs: 0 })).rejects.toMatchObject({
    code: 'Gone',
  });
});

test('closing breaks off what runs', async () => {
  const api = await startScripted((_seen, response) => void response.writeHead(200).write('x'));
  const connection = connect(api.origin);
  const { signal } = new AbortController();
  const stream = await connection.stream(get, { signal, silenceMs: 0 });
  const read = text(stream);
  const [outcome] = await Promise.allSettled([read, connection.close()]);
  expect(outcome.status).toBe('rejected');
  await vi.waitFor(async () => expect(await api.connections()).toBe(0));
});
