import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Deployments } from '../../src/local/deployment/deployments.ts';
import { runDeployments } from '../../src/local/deployment/deployments.ts';
import { KINDS } from '../../src/resources/kube/kinds.ts';
import { all, deployment, type Machine, makeImage, NAMESPACE, openMachine } from './runner.ts';

let machine: Machine;
let running: Deployments;
beforeEach(async () => {
  machine = await openMachine();
  running = runDeployments(machine);
});
afterEach(async () => {
  await running.stop(1000);
  await machine.close();
});

interface Pod {
  metadata: { name: string; annotations?: object };
  status: {
    phase: string;
    containerStatuses: {
      ready: boolean;
      restartCount: number;
      state: Record<string, { reason?: string; message?: string }>;
      lastState: { terminated?: { exitCode: number; message?: string; reason: string } };
    }[];
  };
}
interface Slice {
  metadata: { name: string; labels: Record<string, string> };
  ports: { name: string; port: number }[];
  endpoints: {
    addresses: string[];
    conditions: { ready: boolean; serving: boolean; terminating: boolean };
  }[];
}
const pods = async () => (await all(machine, 'Pod')) as unknown as Pod[];
const slices = async () => (await all(machine, 'EndpointSlice')) as unknown as Slice[];
const ref = { kind: KINDS.Deployment, namespace: NAMESPACE, name: 'hello' };
const status = async () => {
  const found = (await machine.cluster.get(ref))?.status as Record<string, unknown> & {
    conditions: { type: string; status: string; reason: string }[];
  };
  const reasons = Object.fromEntries(
    (found?.conditions ?? []).map(({ type, status, reason }) => [type, `${status} ${reason}`]),
  );
  return { ...found, reasons };
};
const apply = (deployed: Parameters<typeof deployment>[1]) =>
  machine.cluster.apply(deployment('hello', deployed), 'test');
const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 15_000, interval: 10 });
const complete = () =>
  until(async () => {
    const { generation } = (await machine.cluster.get(ref))!.metadata;
    expect(await status()).toMatchObject({
      observedGeneration: generation,
      reasons: { Progressing: 'True NewReplicaSetAvailable' },
    });
  });
/** Asks the pods that take new calls, as the proxy would. */
const call = async (): Promise<string> => {
  const ready = (await slices()).filter(({ endpoints }) => endpoints[0]!.conditions.ready);
  const slice = ready[0];
  if (slice === undefined) throw new Error('no endpoint is ready');
  return (await fetch(`http://127.0.0.1:${slice.ports[0]!.port}/`)).text();
};

const answers = (text: string) => ({ 'handler.mjs': `export const handle = () => ${JSON.stringify(text)};` });
const CRASHES = { 'handler.mjs': 'console.error("no such thing"); process.exit(7);' };

test('a Deployment becomes a process that serves, with its Pod, its EndpointSlice and its status', async () => {
  await apply({ image: await makeImage(machine, 'one', answers('one')) });
  await complete();
  expect(await call()).toBe('"one"');
  expect(await status()).toMatchObject({
    replicas: 1,
    updatedReplicas: 1,
    readyReplicas: 1,
    availableReplicas: 1,
    reasons: { Available: 'True MinimumReplicasAvailable' },
  });
  const [pod] = await pods();
  expect(pod?.status).toMatchObject({
    phase: 'Running',
    containerStatuses: [{ ready: true, restartCount: 0 }],
  });
  const [slice] = await slices();
  expect(slice?.metadata.labels).toEqual({
    'kubernetes.io/service-name': 'hello',
    'sless.dev/component': 'server',
    'sless.dev/function': 'hello',
  });
  expect(slice?.ports).toMatchObject([{ name: 'http' }]);
  expect(slice?.endpoints).toMatchObject([
    { addresses: ['127.0.0.1'], conditions: { ready: true, serving: true, terminating: false } },
  ]);
});

test('the process gets what a container would, and nothing of the platform', async () => {
  process.env.SECRET_OF_THE_PLATFORM = 'x';
  const code = 'export const handle = () => [process.env, process.cwd(), process.pid];';
  await machine.cluster.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'fn-a', namespace: NAMESPACE },
    stringData: { S: 'from $(A)' },
  });
  await apply({
    image: await makeImage(machine, 'env', { 'handler.mjs': code }),
    env: [
      { name: 'A', value: '$$(HOME) "q"\n😀' },
      { name: 'DEPENDENCIES', value: '/own' },
      { name: 'MODE', value: 'mine' },
    ],
    envFrom: [{ secretRef: { name: 'fn-a' } }],
  });
  await complete();
  const [env, cwd] = JSON.parse(await call());
  delete process.env.SECRET_OF_THE_PLATFORM;
  expect(env).toMatchObject({
    A: '$(HOME) "q"\n😀',
    S: 'from $(A)',
    SLESS_HOST: '127.0.0.1',
    SLESS_FUNCTION_DIR: cwd,
    MODE: 'mine',
  });
  expect(env.DEPENDENCIES).toBe(`/own:${cwd}/dependencies`);
  expect(env.HOME).toContain(machine.folder);
  expect(Object.keys(env).filter((name) => /SECRET|npm_|VITEST/i.test(name))).toEqual([]);
  expect(cwd.startsWith(join(machine.folder, 'images'))).toBe(true);
});

test('replicas all run, each on a port of its own, and go when fewer are wanted', async () => {
  const image = await makeImage(machine, 'many', {
    'handler.mjs': 'export const handle = () => process.pid;',
  });
  await apply({ image, replicas: 3 });
  await complete();
  const ports = (await slices()).map(({ ports: [port] }) => port!.port);
  expect(new Set(ports).size).toBe(3);
  await apply({ image, replicas: 0 });
  await complete();
  await until(async () => expect([(await pods()).length, (await slices()).length]).toEqual([0, 0]));
  expect(await status()).not.toHaveProperty('readyReplicas');
});

test('a new version takes over without a moment in which none serves', async () => {
  await apply({ image: await makeImage(machine, 'v1', answers('v1')) });
  await complete();
  const seen = new Set<string>();
  let done = false;
  const client = (async () => {
    while (!done) {
      seen.add(await call());
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  await apply({ image: await makeImage(machine, 'v2', answers('v2')) });
  await complete();
  expect(await call()).toBe('"v2"');
  await until(async () => expect(await pods()).toHaveLength(1));
  done = true;
  await client;
  expect(seen).toEqual(new Set(['"v1"', '"v2"']));
});

test('calls in flight end before an old pod does', async () => {
  const slow = 'export const handle = () => new Promise((resolve) => setTimeout(resolve, 1500, "late"));';
  await apply({ image: await makeImage(machine, 'slow', { 'handler.mjs': slow }) });
  await complete();
  const pending = call();
  await apply({ image: await makeImage(machine, 'v2', answers('v2')) });
  await complete();
  expect(await pending).toBe('"late"');
});

test('a version that crashes leaves the last good one serving, and says why', async () => {
  await apply({ image: await makeImage(machine, 'v1', answers('v1')) });
  await complete();
  await apply({ image: await makeImage(machine, 'v2', CRASHES), progressDeadlineSeconds: 2 });
  await until(async () => {
    const failing = (await pods()).find(({ status }) => !status.containerStatuses[0]!.ready);
    expect(failing?.status.containerStatuses[0]).toMatchObject({
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: { exitCode: 7, reason: 'Error', message: 'no such thing' } },
    });
  });
  expect(await call()).toBe('"v1"');
  await until(async () =>
    expect((await status()).reasons.Progressing).toBe('False ProgressDeadlineExceeded'),
  );
  expect(await status()).toMatchObject({
    replicas: 2,
    updatedReplicas: 1,
    readyReplicas: 1,
    availableReplicas: 1,
    reasons: { Available: 'True MinimumReplicasAvailable' },
  });
  await apply({ image: await makeImage(machine, 'v1', answers('v1')), progressDeadlineSeconds: 2 });
  await complete();
  await until(async () => expect(await pods()).toHaveLength(1));
  expect(await call()).toBe('"v1"');
});

test('a process that ends is started again, with growing pauses and its output kept', async () => {
  await apply({ image: await makeImage(machine, 'v1', CRASHES) });
  await until(async () =>
    expect((await pods())[0]?.status.containerStatuses[0]?.restartCount).toBeGreaterThanOrEqual(2),
  );
  const [pod] = await pods();
  const log = await readFile(join(machine.logsFolder, NAMESPACE, pod!.metadata.name, 'function.log'), 'utf8');
  expect(log.match(/no such thing/g)!.length).toBeGreaterThanOrEqual(2);
  expect(await slices()).toEqual([]);
});

test('an image or a Secret that is missing is waited for', async () => {
  const image = await makeImage(machine, 'v1', answers('v1'));
  await apply({ image, envFrom: [{ secretRef: { name: 'fn-late' } }] });
  await until(async () =>
    expect((await pods())[0]?.status.containerStatuses[0]?.state).toEqual({
      waiting: { reason: 'CreateContainerConfigError', message: 'secret "fn-late" not found' },
    }),
  );
  await machine.cluster.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'fn-late', namespace: NAMESPACE },
  });
  await complete();
  await apply({ image: 'local/none:1' });
  await until(async () => {
    const states = (await pods()).map(({ status }) => status.containerStatuses[0]?.state.waiting);
    expect(states).toContainEqual({
      reason: 'ErrImagePull',
      message: expect.stringContaining('there is no image local/none:1'),
    });
  });
});

test('a Pod that someone deletes is replaced', async () => {
  await apply({ image: await makeImage(machine, 'v1', answers('v1')) });
  await complete();
  const [before] = await pods();
  await machine.cluster.delete({ kind: KINDS.Pod, namespace: NAMESPACE, name: before!.metadata.name });
  await until(async () => {
    const [after] = await pods();
    expect(after?.status?.containerStatuses[0]?.ready).toBe(true);
    expect(after?.metadata.name).not.toBe(before!.metadata.name);
  });
});

test('a Deployment that is deleted takes its processes, objects and folders along', async () => {
  await apply({
    image: await makeImage(machine, 'v1', { 'handler.mjs': 'export const handle = () => process.pid;' }),
  });
  await complete();
  const pid = Number(await call());
  await machine.cluster.delete(ref);
  await until(async () => expect(() => process.kill(pid, 0)).toThrow());
  await until(async () => expect([...(await pods()), ...(await slices())]).toEqual([]));
  await until(async () => expect(await readdir(machine.temporaryFolder)).toEqual([]));
});

test('a pod whose port was taken in the meantime gets another', async () => {
  const taken = 'console.error("listen EADDRINUSE: address already in use 127.0.0.1:1"); process.exit(1);';
  const code = `import { existsSync, writeFileSync } from 'node:fs'; const mark = process.env.HOME + '/tried';
    if (!existsSync(mark)) { writeFileSync(mark, ''); ${taken} } export const handle = () => 'up';`;
  await apply({ image: await makeImage(machine, 'v1', { 'handler.mjs': code }) });
  await complete();
  expect((await pods())[0]?.status.containerStatuses[0]).toMatchObject({ restartCount: 0, lastState: {} });
});
