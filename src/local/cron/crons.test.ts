import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLogger } from '../../../test/contracts/silent-logger.ts';
import { createEmbeddedCluster, type EmbeddedCluster } from '../../adapters/embedded-cluster/cluster.ts';
import { createMemoryStore } from '../../adapters/embedded-cluster/state-store.ts';
import { KINDS } from '../../resources/kube/kinds.ts';
import { type Crons, runCrons } from './crons.ts';

const namespace = 'team';
const MINUTE = 60_000;
let now = Date.parse('2026-03-01T12:00:00Z');
const clock = { now: () => now };
let cluster: EmbeddedCluster;
const running: Crons[] = [];
beforeEach(async () => {
  cluster = createEmbeddedCluster({ store: createMemoryStore(), clock, logger: silentLogger });
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
});
afterEach(async () => {
  for (const crons of running.splice(0)) await crons.stop();
  await cluster.close();
});

const start = () => running.push(runCrons({ cluster, clock, logger: silentLogger }, 5));
const cronJob = (name: string, schedule: string, timeZone = 'UTC') =>
  cluster.create({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name, namespace },
    spec: {
      schedule,
      timeZone,
      jobTemplate: {
        spec: {
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'call', image: 'curl:8' }] } },
        },
      },
    },
  });
const ran = async () =>
  (await cluster.list({ kind: KINDS.Job, namespace })).items.map(({ metadata }) =>
    metadata.name.replace(/-\d+$/, ''),
  );

test.each(['before it started', 'while it runs'])(
  'a CronJob that cannot be kept, made %s, keeps no other from its runs',
  async (when) => {
    if (when === 'while it runs') start();
    await cronJob('a-first', '* * * * *');
    await cronJob('b-schedule', '99 * * * *');
    await cronJob('c-zone', '* * * * *', 'Mars/Olympus');
    await cronJob('d-last', '* * * * *');
    if (when !== 'while it runs') start();
    now += MINUTE;
    await vi.waitFor(async () => expect(await ran()).toEqual(['a-first', 'd-last']));
  },
);
