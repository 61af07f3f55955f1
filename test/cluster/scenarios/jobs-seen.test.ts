import { expect, test, vi } from 'vitest';
import { createEmbeddedCluster } from '../../../src/adapters/embedded-cluster/cluster.ts';
import { createMemoryStore } from '../../../src/adapters/embedded-cluster/state-store.ts';
import { silentLogger } from '../../contracts/silent-logger.ts';
import { watchJobs } from './jobs-seen.ts';

test('Jobs that come while the watch is away are counted', async () => {
  const cluster = createEmbeddedCluster({ store: createMemoryStore(), clock: Date, logger: silentLogger });
  const make = (name: string) => {
    const containers = [{ name: 'c', image: 'i' }];
    const spec = { template: { spec: { containers, restartPolicy: 'Never' } } };
    const metadata = { name, namespace: 'default' };
    return cluster.create({ apiVersion: 'batch/v1', kind: 'Job', metadata, spec });
  };
  await make('before');
  const seen = watchJobs(cluster, 'default');
  const names = () => seen.all().map((job) => job.split(' ')[0]);
  await vi.waitFor(() => expect(names()).toEqual(['before']));
  const resume = cluster.interruptWatches();
  await make('meanwhile');
  resume();
  await vi.waitFor(() => expect(names()).toEqual(['before', 'meanwhile']));
  seen.close();
  cluster.close();
});
