import { afterEach, expect, test, vi } from 'vitest';
import {
  answer,
  type Handler,
  type ScriptedServer,
  startScripted,
  statusOf,
} from '../../../test/api-server/scripted.ts';
import type { LogReading, PodLogs } from '../../ports/pod-logs.ts';
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

/** What `read` tells, as `<time> <text>`. */
async function heard(logs: PodLogs, reading: Partial<LogReading> = {}): Promise<string[]> {
  const told: string[] = [];
  const { signal } = new AbortController();
  for await (const { time, text } of logs.read(container, { signal, ...reading }))
    told.push(`${time} ${text}`);
  return told;
}
const at = (fraction: string) => `2026-03-01T12:00:00.${fraction}Z`;

test('lines are told as they are written, with their times in UTC, until the container ends', async () => {
  const [logs, api] = await serve((_seen, response) => {
    response
      .writeHead(200)
      .write('2026-03-01T12:00:00.5Z one\n2026-03-01T14:00:00.6+02:00 \n2026-03-01T12:0');
    response.write('0:00.7Z two\n');
    response.end('2026-03-01T12:00:00.123456789Z без конца');
  });
  expect(await heard(logs, { lines: 5, follow: true })).toEqual([
    `${at('500000000')} one`,
    `${at('600000000')} `,
    `${at('700000000')} two`,
    `${at('123456789')} без конца`,
  ]);
  expect(Object.fromEntries(api.seen[0]?.query ?? [])).toEqual({
    container: 'c',
    tailLines: '5',
    follow: 'true',
    timestamps: 'true',
  });
});

test('only what was written after a time is told, though kubelets look at whole seconds', async () => {
  const [logs, api] = await serve(text(['1', '2', '3'].map((n) => `${at(n)} ${n}\n`).join('')));
  expect(await heard(logs, { after: at('200000000') })).toEqual([`${at('300000000')} 3`]);
  expect(api.seen[0]?.query.get('sinceTime')).toBe('2026-03-01T12:00:00Z');
});

test('an endless line comes in pieces of one time', async () => {
  const [logs] = await serve((_seen, response) => void response.end(`${at('1')} ${'я'.repeat(100_000)}`));
  const pieces = await heard(logs);
  expect(pieces.length).toBeGreaterThan(1);
  const stamp = `${at('100000000')} `;
  expect(pieces.map((piece) => piece.slice(0, stamp.length))).toEqual(pieces.map(() => stamp));
  expect(pieces.map((piece) => piece.slice(stamp.length)).join('')).toBe('я'.repeat(100_000));
});

test('who stops listening ends without an error, and the server is rid of it', async () => {
  const [logs, api] = await serve(
    (_seen, response) => void response.writeHead(200).write(`${at('1')} one\n`),
  );
  const stopping = new AbortController();
  const told: string[] = [];
  for await (const line of logs.read(container, { follow: true, signal: stopping.signal })) {
    told.push(line.text);
    stopping.abort();
  }
  expect(told).toEqual(['one']);
  await vi.waitFor(async () => expect(await api.connections()).toBe(0));
});
