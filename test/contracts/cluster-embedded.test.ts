import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmbeddedCluster } from '../../src/adapters/embedded-cluster/cluster.ts';
import { createSqliteStore } from '../../src/adapters/embedded-cluster/sqlite-store.ts';
import { createMemoryStore, type StateStore } from '../../src/adapters/embedded-cluster/state-store.ts';
import type { OpenCluster } from './cluster/subject.ts';
import { clusterContract } from './cluster.ts';
import { silentLogger } from './silent-logger.ts';

function open(store: StateStore, cleanUp: () => void = () => undefined): OpenCluster {
  const cluster = createEmbeddedCluster({ store, clock: Date, logger: silentLogger });
  return {
    cluster,
    interruptWatches: () => cluster.interruptWatches(),
    close() {
      cluster.close();
      cleanUp();
    },
  };
}

clusterContract('embedded, in memory', { open: () => open(createMemoryStore()), collects: true, runs: 60 });

clusterContract('embedded, on disk', {
  open: () => {
    const folder = mkdtempSync(join(tmpdir(), 'sless-cluster-'));
    return open(createSqliteStore(join(folder, 'cluster.db')), () => rmSync(folder, { recursive: true }));
  },
  collects: true,
  runs: 20,
});
