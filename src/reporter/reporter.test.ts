import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createEmbeddedCluster, type EmbeddedCluster } from '../adapters/embedded-cluster/cluster.ts';
import { createMemoryStore } from '../adapters/embedded-cluster/state-store.ts';
import { SlessError } from '../errors.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Logger } from '../ports/logger.ts';
import { KINDS } from '../resources/kube/kinds.ts';
import { ANNOTATIONS } from '../resources/kube/labels.ts';
import type { KubeObject } from '../resources/kube/object.ts';
import { parseReport } from '../resources/kube/report.ts';
import type { Logs } from './finding.ts';
import { createReporter, type Reporter } from './reporter.ts';

const quiet = () => {};
const logger: Logger = { debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => logger };

let cluster: EmbeddedCluster;
let patches: number;
let counting: Cluster;
const reporters: Reporter[] = [];
beforeEach(() => {
  patches = 0;
  cluster = createEmbeddedCluster({ store: createMemoryStore(), clock: Date, logger });
  counting = {
    ...cluster,
    patch: (...args) => {
      patches += 1;
      return cluster.patch(...args);
    },
  };
});
afterEach(() => {
  for (const reporter of reporters.splice(0)) reporter.close();
  cluster.close();
});
const start = async (logs?: Logs) => {
  const reporter = createReporter({ cluster: counting, logger, ...(logs === undefined ? {} : { logs }) });
  reporters.push(reporter);
  await vi.waitFor(() => expect(reporter.ready()).toBe(true));
};

const labels = (component: string) => ({ 'sless.dev/component': component, 'sless.dev/function': 'hello' });
const spec = (component: string) => ({
  selector: { matchLabels: labels(component) },
  template: {
    metadata: { labels: labels(component) },
    spec: { containers: [{ name: 'function', image: 'i:1' }] },
  },
});
const make = (kind: 'Deployment' | 'Job', component: string): Promise<KubeObject> => {
  const { apiVersion } = KINDS[kind];
  const template = { ...spec(component).template.spec, restartPolicy: kind === 'Job' ? 'Never' : 'Always' };
  const given = kind === 'Job' ? { template: { spec: template } } : spec(component);
  return cluster.create({
    apiVersion,
    kind,
    metadata: { name: 'hello', namespace: 'default', labels: labels(component) },
    spec: given,
  });
};
const addPod = async (owner: KubeObject, name: string, status: object) => {
  const component = owner.kind === 'Job' ? 'build' : 'server';
  await cluster.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      labels: labels(component),
      ownerReferences: [
        {
          apiVersion: owner.apiVersion,
          kind: owner.kind,
          name: owner.metadata.name,
          uid: owner.metadata.uid!,
          controller: true,
        },
      ],
    },
    spec: { containers: [{ name: 'function', image: 'i:1' }] },
  });
  await setStatus(name, status);
};
const setStatus = (name: string, status: object) =>
  cluster.patch({ kind: KINDS.Pod, namespace: 'default', name }, { status }, { subresource: 'status' });
const reportOn = async (kind: 'Deployment' | 'Job') => {
  const object = await cluster.get({ kind: KINDS[kind], namespace: 'default', name: 'hello' });
  return parseReport(object?.metadata.annotations?.[ANNOTATIONS.report]);
};

const terminated = { exitCode: 1, reason: 'Error', message: 'boom' };
const crashing = {
  containerStatuses: [
    {
      name: 'function',
      ready: false,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated },
    },
  ],
};
const between = {
  containerStatuses: [{ name: 'function', ready: false, state: { running: {} }, lastState: { terminated } }],
};
const healthy = {
  containerStatuses: [{ name: 'function', ready: true, state: { running: {} }, lastState: { terminated } }],
};

test('a crash is written once, however often it is tried again, and cleared when the pod is healthy', async () => {
  await start();
  await addPod(await make('Deployment', 'server'), 'hello-1', crashing);
  await vi.waitFor(async () =>
    expect(await reportOn('Deployment')).toMatchObject({ reason: 'CrashLoop', exitCode: 1 }),
  );
  await setStatus('hello-1', between);
  await setStatus('hello-1', crashing);
  await setStatus('hello-1', healthy);
  await vi.waitFor(async () => expect(await reportOn('Deployment')).toBeUndefined());
  expect(patches).toBe(2);
});

test('the newest pod that has something to say is heard, beside healthy ones', async () => {
  const deployment = await make('Deployment', 'server');
  await addPod(deployment, 'hello-1', healthy);
  await addPod(deployment, 'hello-2', crashing);
  await start();
  await vi.waitFor(async () => expect(await reportOn('Deployment')).toMatchObject({ reason: 'CrashLoop' }));
  await cluster.delete({ kind: KINDS.Pod, namespace: 'default', name: 'hello-2' });
  await vi.waitFor(async () => expect(await reportOn('Deployment')).toBeUndefined());
});

test('another start writes nothing that is there already', async () => {
  await addPod(await make('Deployment', 'server'), 'hello-1', crashing);
  await start();
  await vi.waitFor(async () => expect(await reportOn('Deployment')).toBeDefined());
  await start();
  await vi.waitFor(() => expect(cluster.quiet()).toBe(true));
  expect(patches).toBe(1);
});

test('what was said of pods that are gone is cleared at the next start', async () => {
  await make('Deployment', 'server');
  const annotations = { [ANNOTATIONS.report]: JSON.stringify({ reason: 'CrashLoop' }) };
  await cluster.patch(
    { kind: KINDS.Deployment, namespace: 'default', name: 'hello' },
    { metadata: { annotations } },
  );
  await start();
  await vi.waitFor(async () => expect(await reportOn('Deployment')).toBeUndefined());
});

test("a build's digest stays on its Job when the pod is gone", async () => {
  await start();
  const digest = `sha256:${'a'.repeat(64)}`;
  const pushed = {
    phase: 'Succeeded',
    containerStatuses: [{ name: 'push', state: { terminated: { exitCode: 0, message: digest } } }],
  };
  await addPod(await make('Job', 'build'), 'hello-b', pushed);
  await vi.waitFor(async () => expect(await reportOn('Job')).toEqual({ digest }));
  await cluster.delete({ kind: KINDS.Pod, namespace: 'default', name: 'hello-b' });
  await vi.waitFor(() => expect(cluster.quiet()).toBe(true));
  expect(await reportOn('Job')).toEqual({ digest });
});

const DIGEST = `sha256:${'c'.repeat(64)}`;
const pushedWell = {
  phase: 'Running',
  containerStatuses: [
    { name: 'push', state: { terminated: { exitCode: 0, finishedAt: '2026-03-01T12:00:00Z' } } },
  ],
};

test('a digest that stands in the log alone is read from there, and again when the log cannot be had', async () => {
  const asked: unknown[] = [];
  await start({
    tail: async (container) => {
      asked.push(container);
      if (asked.length === 1) throw new SlessError('Unavailable', 'the kubelet is away');
      return `pushed blob\nr:5000/sless/default/hello@${DIGEST}\n`;
    },
  });
  await addPod(await make('Job', 'build'), 'hello-b', pushedWell);
  await vi.waitFor(
    async () => expect(await reportOn('Job')).toEqual({ digest: DIGEST, finishedAt: '2026-03-01T12:00:00Z' }),
    5000,
  );
  expect(asked).toEqual(Array(2).fill({ namespace: 'default', pod: 'hello-b', container: 'push' }));
});

test('a log that is gone leaves what was said before', async () => {
  const job = await make('Job', 'build');
  await start({ tail: () => Promise.reject(new SlessError('NotFound', 'gone')) });
  await addPod(job, 'hello-b', {
    phase: 'Pending',
    containerStatuses: [{ name: 'push', state: { waiting: { reason: 'ImagePullBackOff' } } }],
  });
  await vi.waitFor(async () => expect(await reportOn('Job')).toMatchObject({ reason: 'ImagePullFailed' }));
  await setStatus('hello-b', pushedWell);
  await vi.waitFor(() => expect(cluster.quiet()).toBe(true));
  expect(await reportOn('Job')).toMatchObject({ reason: 'ImagePullFailed' });
});

test('what a build waited for is taken back when it goes on', async () => {
  await start();
  await addPod(await make('Job', 'build'), 'hello-b', {
    phase: 'Pending',
    containerStatuses: [{ name: 'push', state: { waiting: { reason: 'ErrImagePull' } } }],
  });
  await vi.waitFor(async () => expect(await reportOn('Job')).toMatchObject({ reason: 'ImagePullFailed' }));
  await setStatus('hello-b', {
    phase: 'Running',
    containerStatuses: [{ name: 'push', state: { running: {} } }],
  });
  await vi.waitFor(async () => expect(await reportOn('Job')).toBeUndefined());
});

test('two reporters agree in the end, and then write no more', async () => {
  await start();
  await start();
  const deployment = await make('Deployment', 'server');
  await addPod(deployment, 'hello-1', crashing);
  await vi.waitFor(async () => expect(await reportOn('Deployment')).toMatchObject({ reason: 'CrashLoop' }));
  await setStatus('hello-1', healthy);
  await vi.waitFor(async () => expect(await reportOn('Deployment')).toBeUndefined());
  await vi.waitFor(() => expect(cluster.quiet()).toBe(true));
  const written = patches;
  await setStatus('hello-1', { ...healthy, phase: 'Running' });
  await vi.waitFor(() => expect(cluster.quiet()).toBe(true));
  expect(await reportOn('Deployment')).toBeUndefined();
  expect(patches).toBe(written);
});

test("a Job made again under its name does not get its predecessor's report", async () => {
  const old = await make('Job', 'build');
  await cluster.delete({ kind: KINDS.Job, namespace: 'default', name: 'hello' });
  await vi.waitFor(async () =>
    expect(await cluster.get({ kind: KINDS.Job, namespace: 'default', name: 'hello' })).toBeUndefined(),
  );
  await make('Job', 'build');
  await addPod(old, 'hello-b', {
    phase: 'Failed',
    containerStatuses: [{ name: 'push', state: { terminated: { exitCode: 1 } } }],
  });
  await start();
  await vi.waitFor(() => expect(cluster.quiet()).toBe(true));
  expect(await reportOn('Job')).toBeUndefined();
});

test.each<['Job' | 'Deployment', 'build' | 'server', object, object]>([
  ['Job', 'build', { containerStatuses: [{ name: 'push', state: { terminated } }] }, { exitCode: 1 }],
  ['Deployment', 'server', crashing, { reason: 'CrashLoop' }],
])(
  'a %s made again under its name is heard, be a pod of the one before still there',
  async (kind, component, status, said) => {
    const ref = { kind: KINDS[kind], namespace: 'default', name: 'hello' };
    const pod = { kind: KINDS.Pod, namespace: 'default', name: 'old' };
    await start();
    await addPod(await make(kind, component), 'old', status);
    await vi.waitFor(async () => expect(await reportOn(kind)).toMatchObject(said));
    // It ends slowly.
    await cluster.patch(pod, { metadata: { finalizers: ['sless.dev/test'] } });
    await cluster.delete(ref);
    await vi.waitFor(async () => expect(await cluster.get(ref)).toBeUndefined());
    await addPod(await make(kind, component), 'new', status);
    await vi.waitFor(async () => expect(await reportOn(kind)).toMatchObject(said));
    expect(await cluster.get(pod)).toBeDefined();
  },
);

test('a report that comes too late does not reach the next owner of the name', async () => {
  const old = await make('Job', 'build');
  const ref = { kind: KINDS.Job, namespace: 'default', name: 'hello' };
  const patch = counting.patch;
  counting = {
    ...counting,
    patch: async (...args) => {
      counting.patch = patch;
      await cluster.delete(ref);
      await vi.waitFor(async () => expect(await cluster.get(ref)).toBeUndefined());
      await make('Job', 'build');
      return patch(...args);
    },
  };
  await start();
  await addPod(old, 'hello-b', { containerStatuses: [{ name: 'push', state: { terminated } }] });
  await vi.waitFor(() => expect(patches).toBe(1));
  await vi.waitFor(() => expect(cluster.quiet()).toBe(true));
  expect(await reportOn('Job')).toBeUndefined();
});

test('an owner that is not one of ours is left alone', async () => {
  await start();
  const deployment = await make('Deployment', 'other');
  await addPod(deployment, 'hello-1', crashing);
  await vi.waitFor(() => expect(cluster.quiet()).toBe(true));
  expect(patches).toBe(0);
});

test('changes that a broken watch missed are written when it is back', async () => {
  const deployment = await make('Deployment', 'server');
  await addPod(deployment, 'hello-1', healthy);
  await start();
  const resume = cluster.interruptWatches();
  await setStatus('hello-1', crashing);
  resume();
  await vi.waitFor(async () => expect(await reportOn('Deployment')).toMatchObject({ reason: 'CrashLoop' }));
});
