import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runCrons } from '../../src/local/cron/crons.ts';
import { type Jobs, runJobs } from '../../src/local/job/jobs.ts';
import { buildEvent } from '../../src/resources/function-job/event.ts';
import { buildRunJob } from '../../src/resources/function-job/job.ts';
import { KINDS } from '../../src/resources/kube/kinds.ts';
import type { KubeObject } from '../../src/resources/kube/object.ts';
import type { Cron } from '../../src/resources/trigger/cron.ts';
import { buildCronJob } from '../../src/resources/trigger/cron-job.ts';
import { buildPayload } from '../../src/resources/trigger/payload.ts';
import { loadRuntimes } from '../../src/runtimes/catalogue.ts';
import { FUNCTION_SETTINGS } from '../hooks/settings.ts';
import { all, type Machine, NAMESPACE, openMachine } from './runner.ts';

let machine: Machine;
let jobs: Jobs;
beforeEach(async () => {
  machine = { ...(await openMachine()), runtimes: loadRuntimes(join(import.meta.dirname, '../../runtimes')) };
  jobs = runJobs(machine);
});
afterEach(async () => {
  await jobs.stop();
  await machine.close();
});

const CODE = `
import { writeFileSync } from 'node:fs';
export async function handle(event, context) {
  console.log('begun', process.pid);
  if (event.fail) throw new Error('as asked');
  if (event.exit) process.exit(3);
  if (event.forever) await new Promise(() => setInterval(() => {}, 1000));
  return { length: event.text?.length, name: event.name, trigger: context.trigger, own: process.env.A, secret: process.env.S };
}`;

const DIGEST = `sha256:${'ab'.repeat(32)}`;

async function makeImage(): Promise<void> {
  const unfinished = await machine.images.begin();
  await mkdir(unfinished.functionFolder, { recursive: true });
  await writeFile(join(unfinished.functionFolder, 'handler.mjs'), CODE);
  await unfinished.commit({ digest: DIGEST, runtimeImage: 'local/sless-runtime-nodejs20:v0.1.0', key: 'k' });
}

const RUN = { namespace: NAMESPACE, name: 'migrate', uid: 'u', function: 'hello', runID: 1 };

/** The Job of a run and its event, as the hook makes them. */
async function begin(
  event: object | undefined,
  { retries = 0, timeoutSeconds = 60, secrets = [] as string[] } = {},
) {
  const offer = {
    image: `local/hello@${DIGEST}`,
    entrypoint: 'handler.handle',
    env: { A: '$(HOME)' },
    secrets,
    resources: { requests: {}, limits: {} },
  };
  const job = await machine.cluster.create(
    buildRunJob({ run: RUN, spec: { retries, timeoutSeconds }, offer }, FUNCTION_SETTINGS),
  );
  if (event !== undefined) await machine.cluster.create(buildEvent(RUN, JSON.stringify(event)));
  return job;
}

interface Shown {
  readonly name: string;
  readonly phase: string;
  readonly reason?: string;
  readonly state: {
    readonly waiting?: { readonly reason: string; readonly message: string };
    readonly terminated?: { readonly exitCode: number; readonly message?: string };
  };
}

async function pods(): Promise<Shown[]> {
  return (await all(machine, 'Pod')).map(({ metadata, status }) => {
    const { phase, reason, containerStatuses } = status as Shown & {
      containerStatuses: { state: Shown['state'] }[];
    };
    return {
      name: metadata.name,
      phase,
      ...(reason === undefined ? {} : { reason }),
      state: containerStatuses[0]?.state ?? {},
    };
  });
}

interface Over {
  readonly succeeded?: number;
  readonly failed?: number;
  readonly conditions: { readonly type: string; readonly reason: string }[];
}

const over = (): Promise<Over> =>
  vi.waitFor(
    async () => {
      const status = ((await all(machine, 'Job'))[0]?.status ?? {}) as Over;
      expect(status.conditions?.map(({ type }) => type).join()).toMatch(/Complete|Failed/);
      return status;
    },
    { timeout: 15_000, interval: 10 },
  );

const running = (): Promise<Shown> =>
  vi.waitFor(
    async () => {
      const pod = (await pods()).find(({ phase }) => phase === 'Running');
      expect(pod).toBeDefined();
      return pod as Shown;
    },
    { timeout: 10_000, interval: 10 },
  );

const logOf = (pod: Shown): Promise<string> =>
  readFile(join(machine.logsFolder, NAMESPACE, pod.name, 'function.log'), 'utf8');

test('a run gets its event and its environment, and its result is in the termination message', async () => {
  await makeImage();
  await machine.cluster.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'fn-s', namespace: NAMESPACE },
    data: { S: Buffer.from('shh').toString('base64') },
  });
  await begin({ text: 'x'.repeat(90_000), name: 'é' }, { secrets: ['fn-s'] });
  expect(await over()).toMatchObject({ succeeded: 1 });
  const [pod] = await pods();
  expect(pod?.phase).toBe('Succeeded');
  expect(JSON.parse(pod?.state.terminated?.message ?? '')).toEqual({
    length: 90_000,
    name: 'é',
    trigger: 'job',
    own: '$(HOME)',
    secret: 'shh',
  });
});

test('it begins with its event and not before', async () => {
  await makeImage();
  await begin(undefined);
  await vi.waitFor(async () => {
    expect((await pods())[0]?.state.waiting).toMatchObject({ message: 'the event is not there yet' });
  });
  await machine.cluster.create(buildEvent(RUN, '{}'));
  expect(await over()).toMatchObject({ succeeded: 1 });
});

test('what failed is tried again as often as asked, each time with its own words', async () => {
  await makeImage();
  await begin({ fail: true }, { retries: 1 });
  const status = await over();
  expect(status.failed).toBe(2);
  expect(status.conditions.at(-1)).toMatchObject({ type: 'Failed', reason: 'BackoffLimitExceeded' });
  const ended = await pods();
  expect(ended.map(({ phase }) => phase)).toEqual(['Failed', 'Failed']);
  expect(JSON.parse(ended[0]?.state.terminated?.message ?? '')).toEqual({
    error: 'Error: as asked',
    code: 'FunctionError',
  });
});

test('a process that ends by itself fails with its output', async () => {
  await makeImage();
  await begin({ exit: true });
  await over();
  expect((await pods())[0]?.state.terminated).toMatchObject({
    exitCode: 3,
    message: expect.stringContaining('begun'),
  });
});

test('a run that takes too long is ended by its deadline', async () => {
  await makeImage();
  await begin({ forever: true }, { timeoutSeconds: 1 });
  await over();
  expect(JSON.parse((await pods())[0]?.state.terminated?.message ?? '')).toMatchObject({
    code: 'FunctionTimeout',
  });
});

test('a Job that is deleted ends its process', async () => {
  await makeImage();
  const { metadata } = await begin({ forever: true });
  const pod = await running();
  const pid = await vi.waitFor(async () =>
    Number(/begun (\d+)/.exec(await logOf(pod))?.[1] ?? expect.fail()),
  );
  await machine.cluster.delete({ kind: KINDS.Job, namespace: NAMESPACE, name: metadata.name });
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), 5000);
});

test('a run that sless took with it is not run again: it counts as failed', async () => {
  await makeImage();
  await begin({ forever: true });
  await running();
  await jobs.stop();
  jobs = runJobs(machine);
  const status = await over();
  expect(status).toMatchObject({ failed: 1 });
  const messages = (await pods()).map(({ state }) => state.terminated?.message ?? '');
  expect(messages.filter((message) => message.includes('sless was ended while this ran'))).toHaveLength(1);
  expect(await pods()).toHaveLength(2);
});

test('what failed before a stop is not tried again beyond its retries', async () => {
  await makeImage();
  const { metadata } = await begin(undefined, { retries: 1 });
  await jobs.stop();
  await machine.cluster.patch(
    { kind: KINDS.Job, namespace: NAMESPACE, name: metadata.name },
    { status: { failed: 1 } },
    { subresource: 'status' },
  );
  await machine.cluster.create(buildEvent(RUN, JSON.stringify({ fail: true })));
  jobs = runJobs(machine);
  expect(await over()).toMatchObject({ failed: 2 });
  expect((await pods()).filter(({ state }) => state.terminated !== undefined)).toHaveLength(1);
});

test('nor when this machine got in the way of writing it down', async () => {
  await makeImage();
  const { patch } = machine.cluster;
  let faults = 0;
  machine.cluster.patch = async (ref, change, options) => {
    const { failed } = (change.status ?? {}) as { readonly failed?: number };
    if (ref.kind === KINDS.Job && failed === 1 && faults++ === 0) throw new Error('the disk is full');
    return patch(ref, change, options);
  };
  await begin({ fail: true }, { retries: 1 });
  expect(await over()).toMatchObject({ failed: 2 });
  const messages = (await pods()).map(({ state }) => state.terminated?.message ?? '');
  expect(messages.filter((message) => message.includes('as asked'))).toHaveLength(2);
});

describe('cron', () => {
  const CRON: Cron = {
    namespace: NAMESPACE,
    trigger: 'tick',
    triggerUid: 'uid-t',
    function: 'hello',
    schedule: '* * * * *',
    timeZone: 'UTC',
    payload: '{"a":1}',
    concurrencyPolicy: 'Forbid',
    suspended: false,
    timeoutSeconds: 1,
  };
  const START = Date.parse('2026-02-01T10:00:30Z');
  let now: number;
  let calls: { headers: Record<string, unknown>; body: string }[];
  let answer: number | undefined;
  let server: Server;
  beforeEach(async () => {
    now = START;
    calls = [];
    answer = 200;
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        calls.push({ headers: request.headers, body });
        if (answer !== undefined) response.writeHead(answer).end('said');
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    await machine.cluster.create({
      apiVersion: KINDS.EndpointSlice.apiVersion,
      kind: 'EndpointSlice',
      metadata: { name: 'hello-1', namespace: NAMESPACE, labels: { 'kubernetes.io/service-name': 'hello' } },
      addressType: 'IPv4',
      ports: [{ name: 'http', port: (server.address() as AddressInfo).port, protocol: 'TCP' }],
      endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
    });
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  async function runs(cron: Partial<Cron>, act: () => Promise<void>): Promise<void> {
    const all = { ...CRON, ...cron };
    const made: KubeObject = buildCronJob(all, { image: 'curl' });
    await machine.cluster.create(buildPayload(all));
    await machine.cluster.create(made);
    await machine.cluster.patch(
      { kind: KINDS.CronJob, namespace: NAMESPACE, name: 'tick' },
      { status: { lastScheduleTime: '2026-02-01T10:00:00Z' } },
      { subresource: 'status' },
    );
    const crons = runCrons({ ...machine, clock: { now: () => now } }, 5);
    await act().finally(() => crons.stop());
  }
  const lastRun = async () =>
    ((await all(machine, 'CronJob'))[0]?.status as { lastScheduleTime?: string } | undefined)
      ?.lastScheduleTime;
  const until = (holds: () => unknown) => vi.waitFor(holds, { timeout: 10_000, interval: 10 });

  test('it calls the function once a minute, as its pod would', async () => {
    await runs({}, async () => {
      now = START + 31_000;
      await until(() => expect(calls).toHaveLength(1));
      now = START + 35_000;
      await until(async () => expect(await over()).toMatchObject({ succeeded: 1 }));
      expect(calls).toHaveLength(1);
      now = START + 91_000;
      await until(() => expect(calls).toHaveLength(2));
    });
    expect(calls[0]?.body).toBe('{"a":1}');
    expect(calls[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-sless-trigger': 'cron',
      'x-sless-trigger-name': 'tick',
      'x-sless-timeout-ms': '1000',
      'x-request-id': expect.stringMatching(/^tick-/),
    });
    expect(await lastRun()).toBe('2026-02-01T10:02:00Z');
  });

  test('a call may take as long as it was given, whatever fetch waits for at most', async () => {
    const before = getGlobalDispatcher();
    // What are 300 s otherwise.
    setGlobalDispatcher(new Agent({ headersTimeout: 200 }));
    server.removeAllListeners('request');
    server.on('request', (_, response) => setTimeout(() => response.end('said'), 2500));
    try {
      await runs({ timeoutSeconds: 30 }, async () => {
        now = START + 31_000;
        await until(async () => expect(await over()).toMatchObject({ succeeded: 1 }));
      });
    } finally {
      setGlobalDispatcher(before);
    }
  });

  test('a run longer than its period is not doubled', async () => {
    answer = undefined;
    await runs({ timeoutSeconds: 600 }, async () => {
      now = START + 31_000;
      await until(() => expect(calls).toHaveLength(1));
      now = START + 95_000;
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(calls).toHaveLength(1);
      expect(await lastRun()).toBe('2026-02-01T10:01:00Z');
    });
  });

  test('with Replace the run before is ended', async () => {
    answer = undefined;
    await runs({ timeoutSeconds: 600, concurrencyPolicy: 'Replace' }, async () => {
      now = START + 31_000;
      await until(() => expect(calls).toHaveLength(1));
      now = START + 95_000;
      await until(() => expect(calls).toHaveLength(2));
      expect(await all(machine, 'Job')).toHaveLength(1);
    });
  });

  test.each([
    [500, 'curl: (22) the answer was 500'],
    [404, 'curl: (22) the answer was 404'],
  ])('an answer of %i fails the run, and no other call is made', async (status, message) => {
    answer = status;
    await runs({}, async () => {
      now = START + 31_000;
      expect(await over()).toMatchObject({ failed: 1, conditions: [{}, { reason: 'PodFailurePolicy' }] });
    });
    expect(calls).toHaveLength(1);
    expect((await pods())[0]?.state.terminated?.message).toContain(message);
  });

  test('one that sleeps does nothing, and what fell due while all was off is made up for once, if it was just now', async () => {
    await runs({ suspended: true }, async () => {
      now = START + 10 * 60_000;
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(calls).toEqual([]);
      await machine.cluster.patch(
        { kind: KINDS.CronJob, namespace: NAMESPACE, name: 'tick' },
        { spec: { suspend: false } },
      );
      await until(() => expect(calls).toHaveLength(1));
    });
    expect(await lastRun()).toBe('2026-02-01T10:10:00Z');
  });
});
