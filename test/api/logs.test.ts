import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFileLogs } from '../../src/local/process/file-logs.ts';
import { LogFile } from '../../src/local/process/log-file.ts';
import type { LogLine, PodLogs } from '../../src/ports/pod-logs.ts';
import { serverLabels } from '../../src/resources/function/labels.ts';
import { KINDS } from '../../src/resources/kube/kinds.ts';
import { type ApiServer, startApi, type Tenant, tenantOf } from './api-server.ts';
import { follow } from './followed.ts';

/** Stands before the logs of local mode where a test wants others. */
let logs: PodLogs | undefined;
let folder: string;
let api: ApiServer;
let alice: Tenant;
let clock: number;
const open: LogFile[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sless-logs-'));
  api = await startApi({
    deps: ({ cluster }) => {
      const files = createFileLogs({ cluster, folder });
      return { logs: { tail: files.tail, read: (...of) => (logs ?? files).read(...of) } };
    },
    options: { heartBeatMs: 200, followersPerTenant: 2 },
  });
  alice = await tenantOf(api, 'alice');
});
afterAll(async () => {
  for (const log of open) log.destroy();
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

let name: string;
let count = 0;
beforeEach(async () => {
  logs = undefined;
  clock = Date.parse('2026-03-01T12:00:00Z');
  name = `f${++count}`;
  await alice.ask('POST', '/functions', { name, runtime: 'python3.11' });
});

interface TestPod {
  readonly name: string;
  /** One line, a second after the one before it of any pod. */
  write(...lines: string[]): Promise<void>;
  /** The container ends and is started again. */
  restart(): Promise<void>;
  remove(): Promise<void>;
}

/** A pod of the function as local mode keeps them. */
async function pod(suffix: string, labels: Record<string, string> = serverLabels(name)): Promise<TestPod> {
  const { namespace } = alice;
  const ref = { kind: KINDS.Pod, namespace, name: `${name}-${suffix}` };
  const log = new LogFile({
    path: join(folder, namespace, ref.name, 'function.log'),
    maxBytes: 1e6,
    now: () => (clock += 1000),
  });
  open.push(log);
  let restartCount = 0;
  const show = () =>
    api.cluster.patch(
      ref,
      { status: { containerStatuses: [{ name: 'function', restartCount, state: { running: {} } }] } },
      { subresource: 'status' },
    );
  await api.cluster.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: ref.name, namespace, labels },
    spec: { containers: [{ name: 'function', image: 'x' }] },
  });
  log.beginRun();
  await log.settled();
  await show();
  return {
    name: ref.name,
    async write(...lines) {
      for (const line of lines) log.write(`${line}\n`);
      await log.settled();
    },
    async restart() {
      log.endRun();
      log.beginRun();
      await log.settled();
      restartCount += 1;
      await show();
    },
    remove: async () => {
      log.endRun();
      await log.settled();
      await api.cluster.delete(ref);
    },
  };
}

const text = async (query = '') => (await alice.ask('GET', `/functions/${name}/logs${query}`)).body.text;
const stream = (query = '', lastId?: string) =>
  follow(`${api.url}/v1/namespaces/${alice.namespace}/functions/${name}/logs?follow=true${query}`, {
    token: alice.token,
    lastId,
  });

describe('the logs of a function', () => {
  it('are those of all its pods, by their times', async () => {
    const [a, b] = [await pod('a'), await pod('b')];
    await a.write('1');
    await b.write('2', '<b>3</b>');
    await a.write('4');
    const other = await pod('x', serverLabels('another'));
    await other.write('of another function');
    expect(await text()).toBe('1\n2\n<b>3</b>\n4\n');
    expect(await text('?tail=2')).toBe('<b>3</b>\n4\n');
    expect(await text('?tail=0')).toBe('');
    expect(await text(`?pod=${a.name}`)).toBe('1\n4\n');
    const stamped = String(await text('?timestamps=true'));
    const [, time = ''] = /^(\S+) 1\n(\S+) 2\n/.exec(stamped) ?? [];
    expect(await text(`?since=${time.slice(0, 19)}Z`)).toBe('1\n2\n<b>3</b>\n4\n');
    expect(await text(`?since=${new Date(Date.parse(time) + 1).toISOString()}`)).toBe('2\n<b>3</b>\n4\n');
    expect(await text('?since=1h')).toBe('');
    expect(await text('?since=9999d')).toBe('1\n2\n<b>3</b>\n4\n');
  });

  it('are JSON lines for who asks for them', async () => {
    const a = await pod('a');
    await a.write('"é"');
    const answer = await fetch(`${api.url}/v1/namespaces/${alice.namespace}/functions/${name}/logs`, {
      headers: { authorization: `Bearer ${alice.token}`, accept: 'application/x-ndjson' },
    });
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    expect(JSON.parse(await answer.text())).toEqual({
      time: expect.stringMatching(/^2026-03-01T12:00:\d\d\.\d{9}Z$/),
      pod: a.name,
      container: 'function',
      line: '"é"',
    });
  });

  it('are those of the run before, where they are asked for', async () => {
    const a = await pod('a');
    await a.write('why it ended');
    expect(await alice.ask('GET', `/functions/${name}/logs?previous=true`)).toMatchObject({
      status: 404,
      body: { code: 'NotFound' },
    });
    await a.restart();
    await a.write('now');
    expect(await text('?previous=true')).toBe('why it ended\n');
    expect(await text()).toBe('now\n');
  });

  it('of no pod are nothing, and of no function are NotFound', async () => {
    expect(await text()).toBe('');
    expect(await alice.ask('GET', '/functions/nothing/logs')).toMatchObject({ status: 404 });
    const bob = await tenantOf(api, 'bob');
    expect(await bob.ask('GET', `/functions/${name}/logs`)).toMatchObject({ status: 404 });
    const foreign = await fetch(`${api.url}/v1/namespaces/${alice.namespace}/functions/${name}/logs`, {
      headers: { authorization: `Bearer ${bob.token}` },
    });
    expect(foreign.status).toBe(403);
  });

  it.each([
    ['tail=5001', 'tail: must be at most 5000'],
    [
      'since=soon',
      'since: must be a time such as 2026-03-01T12:00:00Z, or how long ago, such as 10m or 1h30m',
    ],
    ['follow=yes', 'follow: must be true or false'],
    ['lines=5', 'lines: there is no such field'],
  ])('refuse %s', async (query, mistake) => {
    const { status, body } = await alice.ask('GET', `/functions/${name}/logs?${query}`);
    expect([status, body.details]).toEqual([400, [mistake]]);
  });
});

describe('logs that are followed', () => {
  it('go on over restarts and new pods', async () => {
    const a = await pod('a');
    await a.write('1', '2');
    const followed = await stream('&tail=1');
    await followed.lines('2');
    await a.write('3');
    await followed.lines('2', '3');
    await a.write('last words');
    await a.restart();
    await a.write('4');
    await followed.lines('2', '3', 'last words', '4');
    const b = await pod('b');
    await b.write('5');
    await a.remove();
    await b.write('6');
    await followed.lines('2', '3', 'last words', '4', '5', '6');
    await vi.waitFor(() => expect(followed.heartBeats()).toBeGreaterThan(0));
    followed.close();
  });

  it('go on where a reader was cut, with nothing lost and nothing twice', async () => {
    const a = await pod('a');
    await a.write('1');
    const first = await stream();
    await first.lines('1');
    await a.write('2');
    await first.lines('1', '2');
    first.close();
    await a.write('3');
    await a.restart();
    await a.write('4');
    const second = await stream('', first.lastId());
    await second.lines('3', '4');
    second.close();
    const b = await pod('b');
    await b.write('5');
    const third = await stream('', second.lastId());
    await third.lines('5');
    await b.write('6');
    await third.lines('5', '6');
    third.close();
    expect((await alice.ask('GET', `/functions/${name}/logs?follow=true&previous=true`)).status).toBe(400);
  });

  it('are bounded in number for a tenant: others follow theirs, and a place is free again when a reader leaves', async () => {
    const followed = [await stream(), await stream()];
    const third = await alice.ask('GET', `/functions/${name}/logs?follow=true`);
    expect(third).toMatchObject({ status: 429, body: { code: 'TooManyRequests' } });
    const bob = await tenantOf(api, 'bob');
    await bob.ask('POST', '/functions', { name, runtime: 'nodejs20' });
    const leaving = new AbortController();
    const path = `/v1/namespaces/${bob.namespace}/functions/${name}/logs?follow=true`;
    const headers = { authorization: `Bearer ${bob.token}` };
    expect((await fetch(api.url + path, { headers, signal: leaving.signal })).status).toBe(200);
    leaving.abort();
    for (const each of followed) each.close();
    await vi.waitFor(async () => (await stream()).close());
  });

  it('refuse an id that is none', async () => {
    await expect(stream('', 'x')).rejects.toThrow('400');
  });

  it('wait for a reader that is slow', async () => {
    let told = 0;
    const line: Omit<LogLine, 'time'> = { text: 'x'.repeat(10_000) };
    logs = {
      tail: async () => '',
      async *read(_of, { follow: isFollowed, signal }) {
        for (; isFollowed && !signal.aborted; told++)
          yield { ...line, time: `2026-03-01T12:00:00.${String(told).padStart(9, '0')}Z` };
      },
    };
    await pod('a');
    const socket = connect(api.port, '127.0.0.1');
    socket.write(
      `GET /v1/namespaces/${alice.namespace}/functions/${name}/logs?follow=true HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${alice.token}\r\n\r\n`,
    );
    await once(socket, 'readable');
    // What sockets take in between is the system's: it is far less than what would be told in this time.
    const stopsAt = async () => {
      const before = told;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return told === before && told > 0;
    };
    await vi.waitFor(async () => expect(await stopsAt()).toBe(true), { timeout: 10_000 });
    expect(told).toBeLessThan(3000);
    socket.destroy();
  });
});

describe('the logs of a build', () => {
  const KEY = () => `contexts/${alice.namespace}/${name}/1.tar.gz`;
  const ofBuild = (query = '') => alice.ask('GET', `/functions/${name}/build/logs${query}`);
  const status = (fields: object) => {
    const ref = { kind: KINDS.Function, namespace: alice.namespace, name };
    return api.cluster.patch(ref, { status: fields }, { subresource: 'status' });
  };

  it('are those that were kept of one that failed, and end for who follows', async () => {
    expect(await ofBuild()).toMatchObject({ status: 404, body: { code: 'NoSuchVersion' } });
    const ref = { kind: KINDS.Function, namespace: alice.namespace, name };
    await api.cluster.patch(ref, { spec: { s3Key: KEY() } });
    expect((await ofBuild()).body.text).toBe('');
    await status({
      build: { key: KEY(), job: 'j', reason: 'BuildFailed', message: 'it failed:\nno such package' },
    });
    expect((await ofBuild('?tail=1')).body.text).toBe('no such package\n');
    const url = `${api.url}/v1/namespaces/${alice.namespace}/functions/${name}/build/logs?follow=true`;
    const followed = await follow(url, { token: alice.token });
    await followed.lines('it failed:', 'no such package');
    expect(await followed.end()).toMatchObject({ outcome: 'failed', reason: 'BuildFailed' });
    await status({ build: null, builtKey: KEY() });
    const again = await follow(url, { token: alice.token });
    expect(await again.end()).toEqual({ outcome: 'succeeded' });
  });
});
