import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMemoryRegistry } from '../../test/contracts/memory-registry.ts';
import { silentLogger } from '../../test/contracts/silent-logger.ts';
import { openDirectoryStore } from '../adapters/directory-store.ts';
import { createEmbeddedCluster, type EmbeddedCluster } from '../adapters/embedded-cluster/cluster.ts';
import { createMemoryStore } from '../adapters/embedded-cluster/state-store.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import { repositoryFor } from '../resources/function/image.ts';
import { KINDS } from '../resources/kube/kinds.ts';
import { collectGarbage } from './collect.ts';

const DAY = 86_400_000;
const START = Date.parse('2026-03-01T00:00:00Z');
const namespace = 'team';
const imageTemplate = '{registry}/sless/{namespace}/{name}:{tag}';

let folder: string;
let store: ObjectStore;
let cluster: EmbeddedCluster;
let images: ReturnType<typeof createMemoryRegistry>;
let now: number;
let faults: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sless-gc-'));
  store = await openDirectoryStore({ folder });
  now = START;
  faults = [];
  const clock = { now: () => now };
  cluster = createEmbeddedCluster({ store: createMemoryStore(), clock, logger: silentLogger });
  images = createMemoryRegistry();
  for (const name of ['kube-system', namespace])
    await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
});
afterEach(async () => {
  cluster.close();
  await rm(folder, { recursive: true, force: true });
});

const stem = (version: number) => `2026010100000${version}-${String(version).repeat(16)}`;
const key = (name: string, version: number) => `contexts/${namespace}/${name}/${stem(version)}.tar.gz`;
const repository = (name: string) =>
  repositoryFor({ imageTemplate, registry: images.host }, { namespace, name });

/** What an upload leaves in the store, and what its build leaves in the registry. */
async function version(name: string, of: number): Promise<string> {
  const zip = `functions/${namespace}/${name}/${stem(of)}`;
  for (const path of [key(name, of), `${zip}.zip`, `${zip}.json`])
    await store.put(path, Buffer.from('x'), { size: 1 });
  return `${repository(name)}@${await images.push(repository(name), `t${of}`, `${name} ${of}`)}`;
}

interface Given {
  readonly spec?: number;
  readonly history?: readonly (readonly [number, string])[];
}

async function makeFunction(name: string, { spec, history = [] }: Given): Promise<void> {
  await cluster.create({
    apiVersion: 'sless.dev/v1alpha1',
    kind: 'Function',
    metadata: { name, namespace },
    spec: { runtime: 'python3.11', ...(spec === undefined ? {} : { s3Key: key(name, spec) }) },
  });
  const entries = history.map(([of, image]) => ({
    key: key(name, of),
    image,
    runtimeImage: 'r:v1',
    builtAt: 'x',
  }));
  await cluster.patch(
    { kind: KINDS.Function, namespace, name },
    { status: { history: entries } },
    { subresource: 'status' },
  );
}

const run = (options: { readonly dryRun?: boolean; readonly registry?: typeof images.registry } = {}) =>
  collectGarbage(
    {
      cluster,
      store,
      registry: options.registry ?? images.registry,
      clock: { now: () => now },
      logger: { ...silentLogger, error: (_, message) => void faults.push(message) },
    },
    {
      repositoryOf: (owner) => repositoryFor({ imageTemplate, registry: images.host }, owner),
      graceMs: 7 * DAY,
      dryRun: options.dryRun ?? false,
    },
  );

async function stored(): Promise<string[]> {
  const found: string[] = [];
  for (const prefix of ['contexts/', 'functions/'])
    for await (const { key } of store.list(prefix)) found.push(key);
  return found;
}

const NOTHING = { objects: 0, bytes: 0, images: 0, jobs: 0, waiting: 0, failures: 0 };

describe('what nothing uses', () => {
  test('goes when it has been unused for the whole grace, and not before', async () => {
    const good = await version('hello', 1);
    await version('hello', 2);
    await makeFunction('hello', { spec: 1, history: [[1, good]] });
    expect(await run()).toEqual({ ...NOTHING, waiting: 4 });
    now += 7 * DAY - 1;
    expect(await run()).toEqual({ ...NOTHING, waiting: 4 });
    now += 1;
    expect(await run()).toEqual({ ...NOTHING, objects: 3, bytes: 3, images: 1 });
    expect(await stored()).toEqual([
      key('hello', 1),
      `functions/team/hello/${stem(1)}.json`,
      `functions/team/hello/${stem(1)}.zip`,
    ]);
    expect(await images.registry.tags(repository('hello'))).toEqual(['t1']);
    expect(await run()).toEqual(NOTHING);
  });

  test('goes with the Function that is gone, its images too', async () => {
    await version('gone', 1);
    await run();
    now += 7 * DAY;
    expect(await run()).toMatchObject({ objects: 3, images: 1 });
    expect(await stored()).toEqual([]);
    expect(await images.registry.tags(repository('gone'))).toEqual([]);
  });

  test('a dry run says the same and changes nothing but its marks', async () => {
    await version('gone', 1);
    expect(await run({ dryRun: true })).toEqual({ ...NOTHING, waiting: 4 });
    now += 7 * DAY;
    expect(await run({ dryRun: true })).toMatchObject({ objects: 3, images: 1 });
    expect(await stored()).toHaveLength(3);
    expect(await images.registry.tags(repository('gone'))).toEqual(['t1']);
  });
});

describe('what stays', () => {
  test('a cluster that was empty for a day costs nobody their code', async () => {
    const image = await version('hello', 1);
    await run();
    now += 6 * DAY;
    await makeFunction('hello', { spec: 1, history: [[1, image]] });
    await run();
    await cluster.delete({ kind: KINDS.Function, namespace, name: 'hello' });
    now += 6 * DAY;
    await run();
    now += 6 * DAY;
    expect(await run()).toMatchObject({ objects: 0, images: 0, waiting: 4 });
  });

  test('every version of the history, the wanted one, and the one under build', async () => {
    const one = await version('hello', 1);
    const two = await version('hello', 2);
    await version('hello', 3);
    await makeFunction('hello', {
      spec: 3,
      history: [
        [2, two],
        [1, one],
      ],
    });
    await run();
    now += 30 * DAY;
    // The image of 3 is there and in no status yet: it waits, and would go after its grace only.
    expect(await run()).toMatchObject({ objects: 0 });
    expect(await stored()).toHaveLength(9);
  });

  test('the image that serves, when a rebuild of the same code took its place in the history', async () => {
    const image = await version('hello', 1);
    await makeFunction('hello', { spec: 1 });
    const serving = { key: key('hello', 1), image };
    const ref = { kind: KINDS.Function, namespace, name: 'hello' };
    await cluster.patch(ref, { status: { serving } }, { subresource: 'status' });
    await run();
    now += 30 * DAY;
    expect(await run()).toEqual(NOTHING);
  });

  test('an image that is named by its tag, and all tags of the same bytes', async () => {
    await version('hello', 1);
    await images.push(repository('hello'), 'same', 'hello 1');
    await makeFunction('hello', { spec: 1, history: [[1, `${repository('hello')}:t1`]] });
    await run();
    now += 30 * DAY;
    expect(await run()).toEqual(NOTHING);
    expect(await images.registry.tags(repository('hello'))).toEqual(['t1', 'same']);
  });

  test('what a Deployment runs, when the status is lost and its Function too', async () => {
    const image = await version('hello', 1);
    const labels = { 'sless.dev/component': 'server', 'sless.dev/function': 'hello' };
    const annotations = {
      'sless.dev/image': image,
      'sless.dev/built-key': key('hello', 1),
      'sless.dev/runtime-image': 'r',
    };
    await cluster.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'hello', namespace, labels, annotations },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'function', image }] } },
      },
    });
    await run();
    now += 30 * DAY;
    expect(await run()).toEqual(NOTHING);
  });

  test('what came into use between the look and the broom', async () => {
    await version('hello', 1);
    await run();
    now += 7 * DAY;
    const list = cluster.list;
    let rolledBack = false;
    cluster.list = async (query, page) => {
      const answer = await list(query, page);
      if (query.kind === KINDS.Function && !rolledBack) {
        rolledBack = true;
        await makeFunction('hello', { spec: 1, history: [[1, `${repository('hello')}:t1`]] });
      }
      return answer;
    };
    expect(await run()).toMatchObject({ objects: 0, images: 0 });
    expect(await stored()).toHaveLength(3);
  });

  test('objects that no upload of ours made', async () => {
    const foreign = [
      'contexts/team/hello/by-hand.tar.gz',
      'functions/notes.txt',
      `contexts/team/hello/${stem(1)}.zip.bak`,
    ];
    for (const path of foreign) await store.put(path, Buffer.from('x'), { size: 1 });
    await run();
    now += 30 * DAY;
    expect(await run()).toEqual(NOTHING);
  });

  test('everything, while one status cannot be read', async () => {
    await version('gone', 1);
    await run();
    now += 7 * DAY;
    await makeFunction('hello', {});
    const list = cluster.list;
    cluster.list = async (query, page) => {
      const answer = await list(query, page);
      return query.kind === KINDS.Function
        ? { items: answer.items.map((item) => ({ ...item, status: { history: 7 } })) }
        : answer;
    };
    await expect(run()).rejects.toThrow(/team\/hello cannot be read, so nothing is thrown away/);
    expect(await stored()).toHaveLength(3);
  });

  test('everything, while the marks cannot be read', async () => {
    await store.put('gc/unused.json', Buffer.from('{"version":1'), { size: 12 });
    await expect(run()).rejects.toThrow(/gc\/unused.json/);
  });
});

describe('a FunctionJob past its time', () => {
  const ref = { kind: KINDS.FunctionJob, namespace, name: 'migrate' };
  beforeEach(async () => {
    await cluster.create({
      apiVersion: 'sless.dev/v1alpha1',
      kind: 'FunctionJob',
      metadata: { name: 'migrate', namespace },
      spec: { functionRef: 'hello', runID: 1, ttlSecondsAfterFinished: 60 },
    });
    const status = { phase: 'Succeeded', runID: 1, completionTime: new Date(START).toISOString() };
    await cluster.patch(ref, { status }, { subresource: 'status' });
    now += DAY;
  });
  const again = () => cluster.patch(ref, { spec: { runID: 2 } });

  test('goes', async () => {
    expect(await run()).toEqual({ ...NOTHING, jobs: 1 });
    expect(await cluster.get(ref)).toBeUndefined();
  });

  test('stays when it is asked to run again after it was listed', async () => {
    const list = cluster.list;
    cluster.list = async (query, page) => {
      const answer = await list(query, page);
      if (query.kind === KINDS.FunctionJob) await again();
      return answer;
    };
    expect(await run()).toEqual(NOTHING);
    expect(await cluster.get(ref)).toMatchObject({ spec: { runID: 2 } });
  });

  test('stays when it is asked to run again while it is being deleted', async () => {
    const remove = cluster.delete;
    cluster.delete = async (of, options) => {
      await again();
      return remove(of, options);
    };
    expect(await run()).toEqual(NOTHING);
    expect(await cluster.get(ref)).toMatchObject({ spec: { runID: 2 } });
  });
});

test('a registry that is away is counted, and the objects that remember the images stay', async () => {
  await version('gone', 1);
  const away = { ...images.registry, tags: async () => Promise.reject(new Error('away')) };
  expect(await run({ registry: away })).toMatchObject({ failures: 1 });
  now += 7 * DAY;
  expect(await run({ registry: away })).toMatchObject({ failures: 2, objects: 0 });
  expect(await stored()).toHaveLength(3);
  expect(faults).toContain('the images of a function cannot be looked at');
  // The image is seen unused for the first time now, and the objects wait with it.
  expect(await run()).toEqual({ ...NOTHING, waiting: 4 });
  now += 7 * DAY;
  expect(await run()).toEqual({ ...NOTHING, objects: 3, bytes: 3, images: 1 });
});
