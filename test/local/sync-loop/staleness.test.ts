import { afterEach, expect, test, vi } from 'vitest';
import { KINDS } from '../../../src/resources/kube/kinds.ts';
import type { KubeObject } from '../../../src/resources/kube/object.ts';
import { composite, configMapChild, createWorld, type Hook, type Request, type World } from './world.ts';

const { Function: FUNCTION, ConfigMap: CONFIG_MAP, Job: JOB } = KINDS;

let world: World;
afterEach(() => world.close());

const job: KubeObject = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'run' },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i:1' }] } } },
} as KubeObject;

const jobOf = ({ children }: Request) => children['Job.batch/v1']?.['ns/run'];
const statusOf = ({ parent }: Request) => parent.status as { phase?: string } | undefined;
const isComplete = (object: KubeObject | undefined) =>
  (object?.status as { succeeded?: number } | undefined)?.succeeded === 1;

/** Drops the Job in the pass that sees it complete: its result may never be seen again. */
const hasty: Hook = (request) =>
  isComplete(jobOf(request))
    ? { children: [], status: { phase: 'Ready' } }
    : { children: [job], status: { phase: statusOf(request)?.phase ?? 'Building' } };

/** Drops the Job only when the status that is observed says that it has ended. */
const careful: Hook = (request) => {
  if (statusOf(request)?.phase === 'Ready') return { children: [], status: { phase: 'Ready' } };
  return { children: [job], status: { phase: isComplete(jobOf(request)) ? 'Ready' : 'Building' } };
};

const run = async (hook: Hook) => {
  world = await createWorld({
    controllers: composite({ children: ['jobs batch/v1'] }),
    hooks: { '/sync/function': hook },
  });
  await world.make(FUNCTION, 'f');
  await world.idle();
  // The parent's cache falls behind: what the loop writes of it is not seen.
  world.hold(FUNCTION);
  await world.patch(JOB, 'run', { status: { succeeded: 1 } }, { subresource: 'status' });
  await world.idle();
  await vi.waitFor(() =>
    expect(world.writes.filter((write) => write === 'status Function f').length).toBeGreaterThan(1),
  );
  await world.idle();
};

test('a Job that is dropped in the pass that sees it done runs again when the parent is seen late', async () => {
  await run(hasty);
  expect(world.writes.filter((write) => write === 'apply Job run').length).toBeGreaterThan(1);
});

test('a Job that is kept until the end is observed runs once, however late the parent is seen', async () => {
  await run(careful);
  expect(world.writes.filter((write) => write === 'apply Job run')).toHaveLength(1);
  expect(await world.get(JOB, 'run')).toBeDefined();
  world.release(FUNCTION);
  await world.idle();
  expect(await world.get(JOB, 'run')).toBeUndefined();
  expect(world.writes.filter((write) => write === 'apply Job run')).toHaveLength(1);
});

test('a child whose cache lags is applied again, which changes nothing', async () => {
  world = await createWorld({
    controllers: composite(),
    hooks: { '/sync/function': () => ({ children: [configMapChild('a', { k: 'v' })], status: {} }) },
  });
  await world.idle();
  world.hold(CONFIG_MAP);
  await world.make(FUNCTION, 'f');
  await world.idle();
  const made = await world.get(CONFIG_MAP, 'a');
  await world.patch(FUNCTION, 'f', { spec: { replicas: 2 } });
  await world.idle();
  expect(world.writes.filter((write) => write === 'apply ConfigMap a').length).toBeGreaterThan(1);
  expect(await world.get(CONFIG_MAP, 'a')).toEqual(made);
  world.release(CONFIG_MAP);
  await world.idle();
});

test('a child is deleted by the uid that was seen, so a successor of its name stays', async () => {
  let wanted = [configMapChild('a')];
  world = await createWorld({
    controllers: composite({ parent: ', ignoreStatusChanges: true' }),
    hooks: { '/sync/function': () => ({ children: wanted, status: {} }) },
  });
  await world.make(FUNCTION, 'f');
  await world.idle();
  world.hold(CONFIG_MAP);
  await world.cluster.delete({ kind: CONFIG_MAP, namespace: 'ns', name: 'a' });
  const successor = await world.make(CONFIG_MAP, 'a');
  wanted = [];
  await world.patch(FUNCTION, 'f', { spec: { replicas: 2 } });
  await vi.waitFor(() => expect(world.warnings[0]).toContain('uid'));
  expect(await world.get(CONFIG_MAP, 'a')).toEqual(successor);
  world.release(CONFIG_MAP);
  await world.idle();
  expect(await world.get(CONFIG_MAP, 'a')).toEqual(successor);
});

test('a parent that was replaced by a namesake gets no status of its predecessor', async () => {
  const { promise: replaced, resolve } = Promise.withResolvers<void>();
  world = await createWorld({
    controllers: composite(),
    hooks: {
      '/sync/function': async () => {
        await replaced;
        return { children: [], status: { message: 'of the first' } };
      },
    },
  });
  await world.make(FUNCTION, 'f');
  await vi.waitFor(() => expect(world.calls).toHaveLength(1));
  world.hold(FUNCTION);
  await world.cluster.delete({ kind: FUNCTION, namespace: 'ns', name: 'f' });
  const second = await world.make(FUNCTION, 'f');
  resolve();
  await world.idle();
  expect(world.calls).toHaveLength(1);
  expect(await world.get(FUNCTION, 'f')).toEqual(second);
  expect(world.warnings).toEqual([]);
});

test('children of a namesake that is gone are neither shown nor kept, though the collector is late', async () => {
  const waiting: (() => void)[] = [];
  world = await createWorld({
    controllers: composite(),
    hooks: {
      '/sync/function': ({ parent }) => ({
        children: [configMapChild(`of-${parent.metadata.uid}`)],
        status: {},
      }),
    },
    later: (work) => void waiting.push(work),
  });
  const first = await world.make(FUNCTION, 'f');
  await world.loop.idle();
  await world.cluster.delete({ kind: FUNCTION, namespace: 'ns', name: 'f' });
  const second = await world.make(FUNCTION, 'f');
  await world.loop.idle();
  const seen = world.calls.filter(({ request }) => request.parent.metadata.uid === second.metadata.uid);
  const names = seen.flatMap(({ request }) => Object.keys(request.children['ConfigMap.v1'] ?? {}));
  expect(new Set(names)).toEqual(new Set([`ns/of-${second.metadata.uid}`]));
  expect(await world.get(CONFIG_MAP, `of-${first.metadata.uid}`)).toBeDefined();
  for (let work = waiting.shift(); work; work = waiting.shift()) work();
  expect(await world.get(CONFIG_MAP, `of-${first.metadata.uid}`)).toBeUndefined();
  expect(await world.get(CONFIG_MAP, `of-${second.metadata.uid}`)).toBeDefined();
});

test('after watches broke off, what was missed is made up for', async () => {
  world = await createWorld({
    controllers: composite(),
    hooks: {
      '/sync/function': ({ parent }) => ({ children: [configMapChild(parent.metadata.name)], status: {} }),
    },
  });
  await world.make(FUNCTION, 'gone');
  await world.make(FUNCTION, 'stays');
  await world.idle();
  const resume = world.cluster.interruptWatches();
  await world.cluster.delete({ kind: FUNCTION, namespace: 'ns', name: 'gone' });
  await world.make(FUNCTION, 'new');
  await world.cluster.delete({ kind: CONFIG_MAP, namespace: 'ns', name: 'stays' });
  await world.idle();
  expect(await world.get(CONFIG_MAP, 'new')).toBeUndefined();
  resume();
  await vi.waitFor(async () => expect(await world.get(CONFIG_MAP, 'new')).toBeDefined());
  await vi.waitFor(async () => expect(await world.get(CONFIG_MAP, 'stays')).toBeDefined());
  expect(await world.get(CONFIG_MAP, 'gone')).toBeUndefined();
});
