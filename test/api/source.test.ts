import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApi, type Tenant, tenantOf } from './api-server.ts';
import { zipOf } from './zips.ts';

/** A busy machine takes its time. */
const SOON = { timeout: 10_000 };

interface Caller {
  readonly url: string;
  readonly token: string;
}

/** Asks and reads nothing of the answer's body. */
async function ask({ url, token }: Caller): Promise<IncomingMessage> {
  const request = get(url, { headers: { authorization: `Bearer ${token}` }, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

async function bytesOf(response: IncomingMessage): Promise<number> {
  let bytes = 0;
  for await (const piece of response) bytes += (piece as Buffer).length;
  return bytes;
}

describe('much JSON', () => {
  let child: ChildProcess;
  let callers: Caller[];
  beforeAll(async () => {
    child = fork(join(import.meta.dirname, 'source-process.ts'), { execArgv: [] });
    const [message] = (await once(child, 'message')) as [{ callers: Caller[] }];
    callers = message.callers;
  });
  afterAll(() => child.kill());

  const memory = async (): Promise<number> => {
    child.send('how much');
    const [{ addedMB }] = (await once(child, 'message')) as [{ addedMB: number }];
    return addedMB;
  };

  it('is bounded for one tenant and for all, while nobody reads it; whoever comes too late is told to come again', async () => {
    const answers = await Promise.all(
      callers.flatMap((caller) => Array.from({ length: 10 }, () => ask(caller))),
    );
    const statuses = answers.map(({ statusCode }) => statusCode);
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(8);
    for (const response of answers.filter(({ statusCode }) => statusCode !== 200)) {
      expect(response.statusCode).toBe(429);
      expect(response.headers['retry-after']).toBe('2');
    }
    for (let first = 0; first < statuses.length; first += 10) {
      const own = statuses.slice(first, first + 10);
      expect(own.filter((status) => status === 200).length).toBeLessThanOrEqual(4);
    }
    const read = answers.filter(({ statusCode }) => statusCode === 200).map(bytesOf);
    for (const bytes of await Promise.all(read)) expect(bytes).toBeLessThan(9 * 1024 * 1024);
    // Eight answers of 8 MiB, and what V8 lets lie of the texts that they were made of.
    expect(await memory()).toBeLessThan(160);
    for (const response of answers) response.destroy();
  });

  it('does not add up: what was read is let go of', async () => {
    for (let round = 0; round < 5; round++) {
      await expect
        .poll(async () => {
          const response = await ask(callers[0] as Caller);
          return [response.statusCode, (await bytesOf(response)) > 1000];
        }, SOON)
        .toEqual([200, true]);
    }
    expect(await memory()).toBeLessThan(160);
  });
});

describe('a caller', () => {
  let api: ApiServer;
  let alice: Tenant;
  let slow: Readable | undefined;
  beforeAll(async () => {
    api = await startApi({
      deps: ({ store }) => ({
        store: {
          ...store,
          get: async (key) => {
            const found = await store.get(key);
            if (slow === undefined || !key.startsWith('contexts/')) return found;
            found.body.destroy();
            return { ...found, body: slow };
          },
        },
      }),
      options: { sourceReadersPerTenant: 1 },
    });
    alice = await tenantOf(api, 'alice');
    await alice.ask('POST', '/functions', { name: 'f', runtime: 'python3.11' });
    await alice.upload('f', zipOf({ 'handler.py': 'def handle(): pass' }));
  });
  afterAll(() => api.close());

  it('that leaves ends the work for it, and gives its place back', async () => {
    const endless = new Readable({ read() {} });
    slow = endless;
    const leaving = new AbortController();
    const url = `${api.url}/v1/namespaces/${alice.namespace}/functions/f/source`;
    const headers = { authorization: `Bearer ${alice.token}` };
    const answer = fetch(url, { headers, signal: leaving.signal }).catch(() => 'left');
    await expect.poll(async () => (await alice.ask('GET', '/functions/f/source')).status, SOON).toBe(429);
    leaving.abort();
    expect(await answer).toBe('left');
    await expect.poll(() => endless.destroyed, SOON).toBe(true);
    slow = undefined;
    await expect.poll(async () => (await alice.ask('GET', '/functions/f/source')).status, SOON).toBe(200);
  });
});
