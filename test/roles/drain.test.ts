import { once } from 'node:events';
import { Agent, createServer, type RequestOptions, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { namespaceOf } from '../../src/gateway/auth/subject.ts';
import { tokenFor } from '../api/api-server.ts';
import { fn, slice, tenant, trigger } from '../proxy/objects.ts';
import { endRoles, type Role, startRole } from './role.ts';
import { openSurroundings, type Surroundings } from './surroundings.ts';

const cleanups: (() => void)[] = [];
let around: Surroundings;
beforeEach(async () => {
  around = await openSurroundings();
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) cleanup();
  await endRoles();
  await around.close();
});

interface Answer {
  readonly status: number | undefined;
  readonly connection: string | undefined;
  readonly text: string;
}

const ask = (options: RequestOptions, body?: Promise<string>): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece) => (text += piece));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode, connection: response.headers.connection, text }),
      );
    });
    outgoing.on('error', reject);
    if (body === undefined) outgoing.end();
    else {
      outgoing.flushHeaders();
      body.then((whole) => outgoing.end(whole), reject);
    }
  });

/** Asks on one connection as long as it is kept, as a load balancer or Metacontroller does. */
async function goOnAsking(options: RequestOptions): Promise<Answer[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  cleanups.push(() => agent.destroy());
  const answers: Answer[] = [];
  do answers.push(await ask({ ...options, agent }));
  while (answers.at(-1)?.connection !== 'close');
  return answers;
}

interface Drained {
  readonly role: Role;
  readonly port: number;
  /** What callers go on asking for, and how it is answered. */
  readonly path: string;
  readonly status: number;
  /** A request that has begun, and how it comes to its end. */
  readonly running: Promise<Answer>;
  finish(): void;
}

/** From the signal on: still served and told to go, then refused, and the running request answered. */
async function endsInOrder({ role, port, path, status, running, finish }: Drained): Promise<void> {
  const asking = goOnAsking({ port, path });
  await vi.waitFor(async () => expect((await ask({ port, path: '/readyz' })).status).toBe(200), 15_000);
  role.kill('SIGTERM');
  // Nobody who asked before, and nobody who comes while others still learn of the end, is turned away.
  await vi.waitFor(async () => expect((await ask({ port, path: '/readyz' })).status).toBe(503));
  expect(await ask({ port, path })).toMatchObject({ status, connection: 'close' });
  expect((await asking).filter((answer) => answer.status !== status)).toEqual([]);
  await vi.waitFor(
    () => expect(ask({ port, path })).rejects.toMatchObject({ code: expect.stringMatching(/ECONN/) }),
    {
      timeout: 10_000,
    },
  );
  finish();
  expect(await running).toMatchObject({ status: 200, connection: 'close' });
  expect(await role.ended).toBe(0);
}

const DELAY = { DRAIN_DELAY: '1s' };

test('an operator answers the hook that runs, and Metacontroller leaves its connection', async () => {
  const role = await startRole(['operator'], {
    ...around.env,
    ...DELAY,
    REGISTRY_HOST: 'registry.example.com',
  });
  const port = role.operatorPort;
  const body = JSON.stringify({ controller: {}, parent: fn('ns', 'f') });
  let finish = (): void => {};
  const rest = new Promise<string>((resolve) => {
    finish = () => resolve(body);
  });
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  const running = ask({ port, path: '/customize/function', method: 'POST', headers }, rest);
  await endsInOrder({ role, port, path: '/healthz', status: 200, running, finish });
});

test('an api answers the request that runs, and says close to all that come meanwhile', async () => {
  const held: (() => void)[] = [];
  const namespace = namespaceOf('alice');
  around.hold = (path, go) => void (path.endsWith(`${namespace}/functions`) ? held.push(go) : go());
  around.objects[namespace] = tenant(namespace);
  const role = await startRole(['api'], { ...around.env, ...DELAY, AUTH_MODE: 'trusted-perimeter' });
  const { port } = role;
  const headers = { authorization: `Bearer ${await tokenFor('alice')}` };
  const running = ask({ port, path: `/v1/namespaces/${namespace}/functions`, headers });
  await vi.waitFor(() => expect(held).toHaveLength(1), 15_000);
  const finish = () => held[0]?.();
  await endsInOrder({ role, port, path: '/v1/namespaces/ns/functions', status: 401, running, finish });
});

test('a proxy answers the call that runs, and refusals say close as answers do', async () => {
  const calls: ServerResponse[] = [];
  const pod = createServer((_request, response) => calls.push(response)).listen(0, '127.0.0.1');
  cleanups.push(() => pod.close());
  await once(pod, 'listening');
  around.objects.namespaces = [tenant('ns')];
  around.objects.functions = [fn('ns', 'f')];
  around.objects.triggers = [trigger('ns', 'f')];
  around.objects.endpointslices = [slice('ns', 'f', [{ port: (pod.address() as AddressInfo).port }])];
  const role = await startRole(['proxy'], { ...around.env, ...DELAY });
  const { port } = role;
  await vi.waitFor(async () => expect((await ask({ port, path: '/readyz' })).status).toBe(200), 15_000);
  const running = ask({ port, path: '/fn/ns/f' });
  await vi.waitFor(() => expect(calls).toHaveLength(1));
  const finish = () => calls[0]?.end('done');
  await endsInOrder({ role, port, path: '/fn/ns/absent', status: 404, running, finish });
});
