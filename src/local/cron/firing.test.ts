import { afterEach, beforeEach, expect, test } from 'vitest';
import { silentLogger } from '../../../test/contracts/silent-logger.ts';
import { createEmbeddedCluster, type EmbeddedCluster } from '../../adapters/embedded-cluster/cluster.ts';
import { createMemoryStore } from '../../adapters/embedded-cluster/state-store.ts';
import { KINDS } from '../../resources/kube/kinds.ts';
import type { CronJob } from './cron-job-spec.ts';
import { fire } from './firing.ts';

const namespace = 'team';
const MINUTE = 60_000;
let now = Date.parse('2026-03-01T12:00:00Z');
let cluster: EmbeddedCluster;
beforeEach(async () => {
  cluster = createEmbeddedCluster({
    store: createMemoryStore(),
    clock: { now: () => now },
    logger: silentLogger,
  });
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
});
afterEach(() => cluster.close());

/** As a Trigger's hook and Metacontroller make it: the CronJob has a label that its Jobs do not have. */
async function cronJob(policy: string, limits: object = {}): Promise<CronJob> {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'call', image: 'curl:8' }] } };
  const made = await cluster.create({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: {
      name: 'tick',
      namespace,
      labels: { 'sless.dev/component': 'cron', 'controller-uid': 'a-trigger' },
    },
    spec: {
      schedule: '* * * * *',
      concurrencyPolicy: policy,
      ...limits,
      jobTemplate: { metadata: { labels: { 'sless.dev/component': 'cron' } }, spec: { template } },
    },
  });
  return made as unknown as CronJob;
}
const jobs = async () =>
  (await cluster.list({ kind: KINDS.Job, namespace })).items.map(({ metadata }) => metadata.name);
const end = async (name: string) => {
  const conditions = [{ type: 'Complete', status: 'True' }];
  await cluster.patch(
    { kind: KINDS.Job, namespace, name },
    { status: { conditions } },
    { subresource: 'status' },
  );
};
const tick = async (of: CronJob) => {
  now += MINUTE;
  const minute = Math.floor(now / MINUTE) * MINUTE;
  await fire(cluster, of, minute);
  return `tick-${minute / MINUTE}`;
};

test('Forbid begins nothing beside a run, Allow does, Replace ends it', async () => {
  const forbidding = await cronJob('Forbid');
  const first = await tick(forbidding);
  await tick(forbidding);
  expect(await jobs()).toEqual([first]);
  const second = await tick({ ...forbidding, spec: { ...forbidding.spec, concurrencyPolicy: 'Allow' } });
  expect(await jobs()).toEqual([first, second]);
  const third = await tick({ ...forbidding, spec: { ...forbidding.spec, concurrencyPolicy: 'Replace' } });
  expect(await jobs()).toEqual([third]);
});

test('a run that was begun and not written down is not begun again, whatever the policy', async () => {
  const of = await cronJob('Replace');
  await tick(of);
  const [before] = (await cluster.list({ kind: KINDS.Job, namespace })).items;
  await fire(cluster, of, Math.floor(now / MINUTE) * MINUTE);
  const after = (await cluster.list({ kind: KINDS.Job, namespace })).items;
  expect(after.map(({ metadata }) => metadata.uid)).toEqual([before?.metadata.uid]);
});

test('of the runs that are over only the newest stay', async () => {
  const of = await cronJob('Forbid', { successfulJobsHistoryLimit: 2 });
  const names: string[] = [];
  for (let count = 0; count < 5; count++) {
    names.push(await tick(of));
    await end(names.at(-1) ?? '');
  }
  const last = await tick(of);
  expect(await jobs()).toEqual([...names.slice(-2), last]);
});
