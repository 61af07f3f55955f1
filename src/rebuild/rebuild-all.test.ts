import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLogger } from '../../test/contracts/silent-logger.ts';
import { createEmbeddedCluster, type EmbeddedCluster } from '../adapters/embedded-cluster/cluster.ts';
import { createMemoryStore } from '../adapters/embedded-cluster/state-store.ts';
import { KINDS } from '../resources/kube/kinds.ts';
import { ANNOTATIONS } from '../resources/kube/labels.ts';
import { annotationOf } from '../resources/kube/object.ts';
import { rebuildAll } from './rebuild-all.ts';

const namespace = 'team';
let cluster: EmbeddedCluster;
beforeEach(async () => {
  cluster = createEmbeddedCluster({ store: createMemoryStore(), clock: Date, logger: silentLogger });
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
});
afterEach(() => cluster.close());

const make = (name: string, spec: object = { s3Key: `contexts/team/${name}/v.tar.gz` }) =>
  cluster.create({
    apiVersion: 'sless.dev/v1alpha1',
    kind: 'Function',
    metadata: { name, namespace },
    spec: { runtime: 'python3.11', ...spec },
  });
const status = (name: string, value: object) =>
  cluster.patch({ kind: KINDS.Function, namespace, name }, { status: value }, { subresource: 'status' });
const askedFor = async (id: string): Promise<string[]> =>
  (await cluster.list({ kind: KINDS.Function })).items
    .filter((object) => annotationOf(object, ANNOTATIONS.rebuild) === id)
    .map(({ metadata }) => metadata.name);
const build = (name: string, id: string) => status(name, { builtRebuild: id, phase: 'Ready' });
const start = (options: Partial<Parameters<typeof rebuildAll>[1]> = {}) =>
  rebuildAll({ cluster, logger: silentLogger }, { id: 'r1', atOnce: 2, dryRun: false, ...options });

test('builds so many at a time, the next one when one serves', async () => {
  for (const name of ['a', 'b', 'c']) await make(name);
  await make('without-code', {});
  const running = start();
  await vi.waitFor(async () => expect(await askedFor('r1')).toEqual(['a', 'b']));
  await status('a', { builtRebuild: 'r1', phase: 'Deploying' });
  await build('b', 'r1');
  await vi.waitFor(async () => expect(await askedFor('r1')).toEqual(['a', 'b', 'c']));
  await build('a', 'r1');
  await build('c', 'r1');
  expect(await running).toEqual({ built: 3, failed: 0, passedOver: 0 });
});

test('a failure, a deletion and an old failure do not hold up the rest', async () => {
  for (const name of ['a', 'b', 'c']) await make(name);
  await status('c', { phase: 'Failed', build: { key: 'k', job: 'j', rebuild: 'r0', reason: 'BuildFailed' } });
  const running = start();
  await vi.waitFor(async () => expect(await askedFor('r1')).toEqual(['a', 'b']));
  await status('a', { phase: 'Failed', build: { key: 'k', job: 'j', rebuild: 'r1', reason: 'BuildFailed' } });
  await cluster.delete({ kind: KINDS.Function, namespace, name: 'b' });
  await vi.waitFor(async () => expect(await askedFor('r1')).toEqual(['a', 'c']));
  await build('c', 'r1');
  expect(await running).toEqual({ built: 1, failed: 2, passedOver: 0 });
});

test('carries on with the same id where it was broken off', async () => {
  for (const name of ['a', 'b']) await make(name);
  await cluster.patch(
    { kind: KINDS.Function, namespace, name: 'a' },
    { metadata: { annotations: { [ANNOTATIONS.rebuild]: 'r1' } } },
  );
  await build('a', 'r1');
  const running = start();
  await vi.waitFor(async () => expect(await askedFor('r1')).toEqual(['a', 'b']));
  await build('b', 'r1');
  expect(await running).toEqual({ built: 1, failed: 0, passedOver: 1 });
});

test('tries again under the same id what failed before', async () => {
  await make('a');
  const ref = { kind: KINDS.Function, namespace, name: 'a' };
  await cluster.patch(ref, { metadata: { annotations: { [ANNOTATIONS.rebuild]: 'r1' } } });
  const failed = (rebuild: string) => ({ key: 'k', job: 'j', rebuild, reason: 'RegistryUnavailable' });
  await status('a', { phase: 'Failed', build: failed('r1') });
  const running = start();
  await vi.waitFor(async () => expect(await askedFor('r1.2')).toEqual(['a']));
  await status('a', { phase: 'Failed', build: failed('r1.2') });
  expect(await running).toEqual({ built: 0, failed: 1, passedOver: 0 });
  const again = start();
  await vi.waitFor(async () => expect(await askedFor('r1.3')).toEqual(['a']));
  await build('a', 'r1.3');
  expect(await again).toEqual({ built: 1, failed: 0, passedOver: 0 });
  expect(await start()).toEqual({ built: 0, failed: 0, passedOver: 1 });
});

test('a dry run asks for nothing', async () => {
  await make('a');
  expect(await start({ dryRun: true })).toEqual({ built: 0, failed: 0, passedOver: 0 });
  expect(await askedFor('r1')).toEqual([]);
});
