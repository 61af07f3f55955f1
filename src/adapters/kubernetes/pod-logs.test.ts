import { afterEach, expect, test, vi } from 'vitest';
import {
  answer,
  type Handler,
  type ScriptedServer,
  startScripted,
  statusOf,
} from '../../../test/api-server/scripted.ts';
import type { PodLogs } from '../../ports/pod-logs.ts';
import { createConnection } from './connection.ts';
import { createKubernetesPodLogs } from './pod-logs.ts';

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

const container = { namespace: 'ns', pod: 'p', container: 'c' };

async function serve(handler: Handler): Promise<[PodLogs, ScriptedServer]> {
  const api = await startScripted(handler);
  const connection = createConnection({
    access: async () => ({ server: api.origin, tls: {}, headers: {} }),
    clock: Date,
  });
  opened.push(() => connection.close());
  return [createKubernetesPodLogs({ connection }), api];
}

const text =
  (log: string | Uint8Array): Handler =>
  (_seen, response) =>
    void response.end(log);
const refusal =
  (message: string): Handler =>
  (_seen, response) =>
    answer(response, { ...statusOf(400, 'BadRequest'), message }, 400);

test('the last lines of one container are asked for', async () => {
  const [logs, api] = await serve(text('one\ntwo\n'));
  expect(await logs.tail(container, { lines: 2, bytes: 100, previous: true })).toBe('one\ntwo\n');
  expect(api.seen[0]?.path).toBe('/api/v1/namespaces/ns/pods/p/log');
  expect(Object.fromEntries(api.seen[0]?.query ?? [])).toEqual({
    container: 'c',
    tailLines: '2',
    previous: 'true',
  });
});

test.each([
  ['abcdef', 3, 'def'],
  ['abc', 3, 'abc'],
  ['abc', 0, ''],
  ['aя€😀', 4, '😀'],
  ['aя€😀', 5, '😀'],
  ['aя€😀', 6, '😀'],
  ['aя€😀', 7, '€😀'],
])('of %j the last %i bytes are %j', async (log, bytes, want) => {
  const [logs] = await serve(text(log));
  expect(await logs.tail(container, { lines: 10, bytes })).toBe(want);
});

test('the end of a long log is kept, in little memory', async () => {
  const [logs] = await serve((_seen, response) => {
    for (let block = 0; block < 200; block++) response.write(`${block} ${'x'.repeat(65_536)}\n`);
    response.end('the end');
  });
  expect(await logs.tail(container, { lines: 1_000, bytes: 7 })).toBe('the end');
});

test.each(['waiting to start: ContainerCreating', "waiting to start: image can't be pulled"])(
  'a container that is %s has written nothing',
  async (why) => {
    const [logs] = await serve(refusal(`container "c" in pod "p" is ${why}`));
    expect(await logs.tail(container, { lines: 1, bytes: 1 })).toBe('');
  },
);

test.each(['container c is not valid for pod p', 'previous terminated container "c" in pod "p" not found'])(
  '"%s" is NotFound',
  async (message) => {
    const [logs] = await serve(refusal(message));
    await expect(logs.tail(container, { lines: 1, bytes: 1 })).rejects.toMatchObject({
      code: 'NotFound',
      message,
    });
  },
);

test('an absent pod is NotFound', async () => {
  const [logs] = await serve((_seen, response) => answer(response, statusOf(404, 'NotFound'), 404));
  await expect(logs.tail(container, { lines: 1, bytes: 1 })).rejects.toMatchObject({ code: 'NotFound' });
});

test('a log that breaks off is Unavailable', async () => {
  const [logs] = await serve((_seen, response) => {
    response.writeHead(200).write('half');
    setImmediate(() => response.socket?.resetAndDestroy());
  });
  await expect(logs.tail(container, { lines: 1, bytes: 9 })).rejects.toMatchObject({ code: 'Unavailable' });
});

test('lines are told as they are written, until the container ends', async () => {
  const [logs, api] = await serve((_seen, response) => {
    response.writeHead(200).write('one\n\ntw');
    response.write('o\n');
    response.end('без конца');
  });
  const heard: string[] = [];
  const { signal } = new AbortController();
  for await (const line of logs.follow(container, { lines: 5, signal })) heard.push(line);
  expect(heard).toEqual(['one', '', 'two', 'без конца']);
  expect(api.seen[0]?.query.get('follow')).toBe('true');
});

test('an endless line comes in pieces', async () => {
  const [logs] = await serve((_seen, response) => void response.end('я'.repeat(100_000)));
  const heard: string[] = [];
  const { signal } = new AbortController();
  for await (const line of logs.follow(container, { lines: 5, signal })) heard.push(line);
  expect(heard.length).toBeGreaterThan(1);
  expect(heard.join('')).toBe('я'.repeat(100_000));
});

test('who stops listening ends without an error, and the server is rid of it', async () => {
  const [logs, api] = await serve((_seen, response) => void response.writeHead(200).write('one\n'));
  const stopping = new AbortController();
  const heard: string[] = [];
  for await (const line of logs.follow(container, { lines: 5, signal: stopping.signal })) {
    heard.push(line);
    stopping.abort();
  }
  expect(heard).toEqual(['one']);
  await vi.waitFor(async () => expect(await api.connections()).toBe(0));
});
