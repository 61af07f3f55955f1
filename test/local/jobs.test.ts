import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openImages } from '../../src/local/build/images.ts';
import { type Jobs, runJobs } from '../../src/local/job/jobs.ts';
import { KINDS } from '../../src/resources/kube/kinds.ts';
import type { KubeObject } from '../../src/resources/kube/object.ts';
import {
  all,
  type Files,
  type Machine,
  NAMESPACE,
  openMachine,
  RUNTIME_IMAGE,
  storeContext,
} from './runner.ts';

let machine: Machine;
let jobs: Jobs;
beforeEach(async () => {
  machine = await openMachine();
  jobs = runJobs(machine);
});
afterEach(async () => {
  await jobs.stop();
  await machine.close();
});

const KEY = 'contexts/default/hello/1.tar.gz';
const FETCHED = { containerName: 'fetch', operator: 'In', values: [65, 77] };
const BUILT = { containerName: 'build', operator: 'NotIn', values: [0] };

interface Wanted {
  readonly strategy?: string;
  readonly key?: string;
  readonly name?: string;
  readonly tag?: string;
  readonly rebuild?: string;
  readonly seconds?: number;
}
const job = ({
  strategy = 'dockerfile',
  key = KEY,
  name = 'build',
  tag = 't1',
  rebuild,
  seconds = 60,
}: Wanted): KubeObject => {
  const labels = { 'app.kubernetes.io/managed-by': 'sless', 'sless.dev/component': 'build' };
  const annotations = {
    'sless.dev/built-key': key,
    'sless.dev/runtime-image': RUNTIME_IMAGE,
    'sless.dev/image': `local:5000/sless/default/hello:${tag}`,
    'sless.dev/build-strategy': strategy,
    ...(rebuild === undefined ? {} : { 'sless.dev/rebuild': rebuild }),
  };
  const steps = strategy === 'append' ? ['fetch'] : ['fetch', 'build'];
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: NAMESPACE, labels, annotations },
    spec: {
      activeDeadlineSeconds: seconds,
      backoffLimit: 2,
      podFailurePolicy: {
        rules: [FETCHED, BUILT]
          .filter(({ containerName }) => steps.includes(containerName))
          .map((onExitCodes) => ({ action: 'FailJob', onExitCodes })),
      },
      template: {
        metadata: { labels, annotations },
        spec: {
          restartPolicy: 'Never',
          initContainers: steps.map((step) => ({ name: step, image: 'unused' })),
          containers: [{ name: 'push', image: 'unused' }],
        },
      },
    },
  };
};

interface Status {
  active?: number;
  succeeded?: number;
  failed?: number;
  completionTime?: string;
  conditions?: { type: string; reason: string; message: string }[];
}
const statusOf = async (name = 'build') =>
  ((await machine.cluster.get({ kind: KINDS.Job, namespace: NAMESPACE, name }))?.status ?? {}) as Status;
const finished = async (name?: string): Promise<Status> =>
  vi.waitFor(
    async () => {
      const status = await statusOf(name);
      expect(status.conditions?.map(({ type }) => type)).toEqual(
        expect.arrayContaining([expect.stringMatching(/^(Complete|Failed)$/)]),
      );
      return status;
    },
    { timeout: 15_000, interval: 10 },
  );
interface Pod {
  metadata: { name: string; ownerReferences: { kind: string; name: string }[] };
  status: {
    phase: string;
    reason?: string;
    initContainerStatuses: Container[];
    containerStatuses: Container[];
  };
}
interface Container {
  name: string;
  state: { waiting?: object; running?: object; terminated?: { exitCode: number; message?: string } };
}
const pods = async () => (await all(machine, 'Pod')) as unknown as Pod[];
const containersOf = ({ status }: Pod) =>
  [...status.initContainerStatuses, ...status.containerStatuses].map(({ name, state }) => [
    name,
    state.terminated?.exitCode,
  ]);
const digestOf = (pod: Pod | undefined) =>
  /@(sha256:[0-9a-f]{64})/.exec(pod?.status.containerStatuses[0]?.state.terminated?.message ?? '')?.[1];
const build = async (files: Files, wanted: Wanted = {}) => {
  await storeContext(machine, wanted.key ?? KEY, files);
  await machine.cluster.create(job(wanted));
  return finished(wanted.name);
};
const imageFolders = async () =>
  (await readdir(join(machine.folder, 'images'))).filter(
    (name) => name !== 'tags' && name !== 'package.json',
  );

const INSTALLS = {
  'handler.mjs': 'export const handle = () => 1;',
  'install.mjs': `import { writeFileSync } from 'node:fs'; writeFileSync('installed', 'yes'); console.log('installing');`,
};

test('code alone becomes an image that is found by digest and by tag', async () => {
  const status = await build({ 'handler.mjs': 'x', 'lib/a.mjs': 'y' }, { strategy: 'append' });
  expect(status).toMatchObject({
    succeeded: 1,
    conditions: [{ type: 'SuccessCriteriaMet' }, { type: 'Complete', reason: 'CompletionsReached' }],
  });
  expect(status.completionTime).toBeDefined();
  expect(status.active).toBeUndefined();
  const [pod] = await pods();
  expect(pod?.status.phase).toBe('Succeeded');
  expect(pod?.metadata.ownerReferences).toMatchObject([{ kind: 'Job', name: 'build' }]);
  expect(containersOf(pod!)).toEqual([
    ['fetch', 0],
    ['push', 0],
  ]);
  const digest = digestOf(pod);
  const [byDigest, byTag] = await Promise.all(
    [`local:5000/sless/default/hello@${digest}`, 'local:5000/sless/default/hello:t1'].map((name) =>
      machine.images.find(name),
    ),
  );
  expect(byDigest).toEqual(byTag);
  expect(byDigest).toMatchObject({ digest, runtimeImage: RUNTIME_IMAGE, key: KEY });
  expect(await readFile(join(byDigest!.functionFolder, 'lib/a.mjs'), 'utf8')).toBe('y');
});

test('code that asks for dependencies has them installed, and the output is kept', async () => {
  await build(INSTALLS);
  const [pod] = await pods();
  expect(containersOf(pod!)).toEqual([
    ['fetch', 0],
    ['build', 0],
    ['push', 0],
  ]);
  const image = await machine.images.find('local:5000/sless/default/hello:t1');
  expect(await readFile(join(image!.functionFolder, 'installed'), 'utf8')).toBe('yes');
  expect(
    await readFile(join(machine.logsFolder, NAMESPACE, pod!.metadata.name, 'build.log'), 'utf8'),
  ).toMatch(/Z installing\n/);
});

test('the same code for the same purpose is the same image and is installed once; a rebuild is another', async () => {
  await build(INSTALLS);
  await build(INSTALLS, { name: 'again', key: 'contexts/default/hello/2.tar.gz', tag: 't2' });
  expect(await imageFolders()).toHaveLength(1);
  await build(INSTALLS, { name: 'rebuild', tag: 't3', rebuild: '1' });
  expect(await imageFolders()).toHaveLength(2);
  const digests = (await pods()).map(digestOf);
  expect(new Set(digests).size).toBe(2);
});

test('an installer that fails ends the Job at once, with its exit code and last lines', async () => {
  const status = await build({
    ...INSTALLS,
    'install.mjs': 'console.error("no such package"); process.exit(4);',
  });
  const [pod] = await pods();
  expect(status).toMatchObject({ failed: 1 });
  expect(status.conditions?.find(({ type }) => type === 'Failed')).toMatchObject({
    reason: 'PodFailurePolicy',
    message: `Container build for pod default/${pod?.metadata.name} failed with exit code 4 matching FailJob rule at index 1`,
  });
  expect(await pods()).toHaveLength(1);
  expect(pod?.status).toMatchObject({
    phase: 'Failed',
    initContainerStatuses: [{}, { state: { terminated: { exitCode: 4, message: 'no such package' } } }],
  });
  expect(await imageFolders()).toEqual([]);
});

test.each([
  ['is not there', undefined, 'NoSuchVersion'],
  ['is no context', 'not a tar.gz', 'InvalidArchive'],
])('a context that %s ends the Job at once', async (_what, text, code) => {
  if (text !== undefined) await machine.store.put(KEY, Buffer.from(text), { size: text.length });
  await machine.cluster.create(job({}));
  const status = await finished();
  expect(status.conditions?.find(({ type }) => type === 'Failed')?.message).toMatch(
    /^Container fetch .* exit code 65 matching FailJob rule at index 0$/,
  );
  const [pod] = await pods();
  expect(pod?.status.initContainerStatuses[0]?.state.terminated?.message).toMatch(`sless fetch: ${code}: `);
});

test('what may pass is tried again, and given up after the limit', async () => {
  let failures = 2;
  const { store } = machine;
  const get = store.get;
  Object.assign(store, {
    get: (key: string) => (failures-- > 0 ? Promise.reject(new Error('connection refused')) : get(key)),
  });
  expect(await build({ 'handler.mjs': 'x' }, { strategy: 'append' })).toMatchObject({ succeeded: 1 });
  expect((await pods()).map(({ status }) => status.phase).sort()).toEqual(['Failed', 'Failed', 'Succeeded']);
});

test('an installer that takes too long is killed, and the Job says so', async () => {
  const status = await build({ ...INSTALLS, 'install.mjs': 'setInterval(() => {}, 1000)' }, { seconds: 1 });
  expect(status.conditions?.find(({ type }) => type === 'Failed')).toMatchObject({
    reason: 'DeadlineExceeded',
  });
  expect((await pods())[0]?.status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
  expect(await imageFolders()).toEqual([]);
});

const WAITS = {
  ...INSTALLS,
  'install.mjs': `console.log('pid', process.pid); setInterval(() => {}, 1000);`,
};
const installerPid = async () =>
  vi.waitFor(async () => {
    const [pod] = await pods();
    const log = await readFile(join(machine.logsFolder, NAMESPACE, pod!.metadata.name, 'build.log'), 'utf8');
    return Number(/pid (\d+)/.exec(log)![1]);
  }, 10_000);
const isGone = (pid: number) => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

test('a Job that is deleted ends its installer and leaves nothing', async () => {
  await storeContext(machine, KEY, WAITS);
  await machine.cluster.create(job({}));
  const pid = await installerPid();
  await machine.cluster.delete({ kind: KINDS.Job, namespace: NAMESPACE, name: 'build' });
  await vi.waitFor(
    async () => expect([isGone(pid), await imageFolders(), await pods()]).toEqual([true, [], []]),
    5000,
  );
});

test('a stop leaves the Job unfinished, and the next start carries it on to one image', async () => {
  await storeContext(machine, KEY, WAITS);
  await machine.cluster.create(job({}));
  const pid = await installerPid();
  await jobs.stop();
  expect(isGone(pid)).toBe(true);
  expect(await statusOf()).toMatchObject({ active: 1 });
  await storeContext(machine, KEY, INSTALLS);
  jobs = runJobs(machine);
  expect(await finished()).toMatchObject({ succeeded: 1 });
  expect(await imageFolders()).toHaveLength(1);
});

test('what a crash left of an image is thrown away when the images are opened', async () => {
  const unfinished = await machine.images.begin();
  expect(await imageFolders()).toHaveLength(1);
  await openImages(join(machine.folder, 'images'));
  expect(await imageFolders()).toEqual([]);
  await unfinished.discard();
});

test('Jobs that are no builds are left alone', async () => {
  const other = job({ name: 'other' });
  const { annotations: _, ...metadata } = other.metadata;
  await machine.cluster.create({ ...other, metadata });
  await build({ 'handler.mjs': 'x' }, { strategy: 'append' });
  expect(await statusOf('other')).toEqual({});
});
