import { readFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { cleanUp, newFolder, objects, type Sless, startSless, uploadForm } from './sless.ts';

let sless: Sless;
let base: string;
let folder: string;
beforeAll(async () => {
  folder = await newFolder();
  sless = await startSless(folder);
  base = `/v1/namespaces/${sless.namespace}`;
  await sless.api('POST', `${base}/ensure`);
});
afterAll(cleanUp);

const until = <T>(check: () => Promise<T>) => vi.waitFor(check, { timeout: 30_000, interval: 20 });

/** Writes down each run before it answers, and takes a moment over it as real functions do. */
const code = (version: string, ledger: string) => ({
  'handler.mjs': `import { appendFileSync } from 'node:fs';
export const handle = async ({ id }) => {
  appendFileSync(${JSON.stringify(ledger)}, id + '\\n');
  await new Promise((resolve) => setTimeout(resolve, 15));
  return ${JSON.stringify(version)};
};`,
});

async function deploy(name: string, version: string, ledger: string): Promise<void> {
  const form = uploadForm(code(version, ledger));
  expect(await sless.api('POST', `${base}/functions/${name}/upload`, form)).toMatchObject({ status: 200 });
}

/** POSTs at a rate, whether earlier ones have ended or not. What came of each is kept by its id. */
function postAt(hertz: number, name: string) {
  const agent = new Agent({ keepAlive: true });
  const outcomes = new Map<string, string>();
  const pending: Promise<void>[] = [];
  const post = (id: string): Promise<void> =>
    new Promise((resolve) => {
      const done = (outcome: string): void => {
        outcomes.set(id, outcome);
        resolve();
      };
      const options = { method: 'POST', agent, headers: { 'content-type': 'application/json' } };
      httpRequest(`${sless.endpoint}/fn/${sless.namespace}/${name}`, options, (response) => {
        let text = '';
        response.on('data', (piece) => {
          text += piece;
        });
        response.on('end', () => done(response.statusCode === 200 ? text : `${response.statusCode} ${text}`));
        response.on('error', (error) => done(`cut: ${error.message}`));
      })
        .on('error', (error) => done(`failed: ${error.message}`))
        .end(JSON.stringify({ id }));
    });
  let sent = 0;
  const started = performance.now();
  const timer = setInterval(() => {
    // By the clock: a late timer makes up for what it has missed, as callers elsewhere would not have waited for it.
    while (sent < ((performance.now() - started) / 1000) * hertz) {
      sent += 1;
      pending.push(post(`${sent}`));
    }
  }, 5);
  return {
    outcomes,
    async stop(): Promise<void> {
      clearInterval(timer);
      await Promise.all(pending);
      agent.destroy();
    },
  };
}

const podsOf = async (name: string) =>
  (await objects(sless, folder, 'pod')).filter(
    ({ metadata }) => metadata.labels?.['sless.dev/function'] === name,
  );
const isReady = async (name: string, replicas: number) =>
  until(async () => {
    const { json } = await sless.api('GET', `${base}/functions/${name}`);
    expect(json).toMatchObject({ phase: 'Ready', ready_replicas: replicas });
    expect(await podsOf(name)).toHaveLength(replicas);
  });

test('new code, a restart, more and fewer pods under 100 POSTs a second: none fails, none runs twice', async () => {
  const ledger = join(folder, 'ledger');
  const name = 'busy';
  const made = await sless.api('POST', `${base}/functions`, { name, runtime: 'nodejs20', replicas: 2 });
  expect(made).toMatchObject({ status: 201 });
  await deploy(name, 'v1', ledger);
  await sless.api('POST', `${base}/triggers`, { name, type: 'http', function: name });
  await isReady(name, 2);
  const load = postAt(100, name);
  const told = async (version: string) =>
    until(async () => expect([...load.outcomes.values()].at(-1)).toBe(JSON.stringify(version)));
  await told('v1');
  await deploy(name, 'v2', ledger);
  await told('v2');
  await isReady(name, 2);
  // A pod is deleted when fewer are wanted, and every one of them in turn by a restart.
  for (const replicas of [1, 3, 1]) {
    expect(await sless.api('PATCH', `${base}/functions/${name}`, { replicas })).toMatchObject({
      status: 200,
    });
    await isReady(name, replicas);
  }
  const before = (await podsOf(name)).map(({ metadata }) => metadata.name);
  expect((await sless.api('POST', `${base}/functions/${name}/restart`)).status).toBe(202);
  await until(async () =>
    expect((await podsOf(name)).filter(({ metadata }) => before.includes(metadata.name))).toEqual([]),
  );
  await isReady(name, 1);
  await load.stop();

  const failed = [...load.outcomes].filter(([, outcome]) => !/^"v[12]"$/.test(outcome));
  expect(failed).toEqual([]);
  const runs = readFileSync(ledger, 'utf8').trim().split('\n');
  const byNumber = (ids: Iterable<string>) => [...ids].sort((a, b) => Number(a) - Number(b));
  expect(byNumber(runs)).toEqual(byNumber(load.outcomes.keys()));
  console.log(`${runs.length} POSTs`);
}, 120_000);

test('an upload that waits for 100 Continue hears a refusal in its place, and 100 once its body is read', async () => {
  await sless.api('POST', `${base}/functions`, { name: 'polite', runtime: 'nodejs20' });
  const form = new Response(uploadForm({ 'handler.mjs': 'export const handle = () => 1;' }));
  const body = Buffer.from(await form.arrayBuffer());
  const type = form.headers.get('content-type');
  /** The first thing that is said to the head, and, where that is 100, what follows the body. */
  const ask = (token: string, length: number): Promise<string[]> =>
    new Promise((resolve, reject) => {
      const heard: string[] = [];
      const port = Number(new URL(sless.endpoint).port);
      const socket = connect(port, '127.0.0.1', () =>
        socket.write(
          `POST ${base}/functions/polite/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
            `Content-Type: ${type}\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`,
        ),
      );
      socket.on('data', (piece) => {
        heard.push(piece.toString('latin1'));
        if (heard.length === 1 && heard[0]?.startsWith('HTTP/1.1 100 ')) socket.write(body);
        else socket.end();
      });
      socket.on('close', () => resolve(heard));
      socket.on('error', reject);
    });
  const [refused = ''] = await ask('nobody', body.length);
  expect(refused).toMatch(/^HTTP\/1.1 401 /);
  expect(refused.toLowerCase()).toContain('\r\nconnection: close\r\n');
  const [large = ''] = await ask(sless.token, 64 * 1024 * 1024);
  expect(large).toMatch(/^HTTP\/1.1 413 /);
  const [interim, final] = await ask(sless.token, body.length);
  expect([interim, final?.slice(0, 12)]).toEqual(['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 200']);
});
