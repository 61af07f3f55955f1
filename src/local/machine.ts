import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openDirectoryStore } from '../adapters/directory-store.ts';
import { createEmbeddedCluster, type EmbeddedCluster } from '../adapters/embedded-cluster/cluster.ts';
import { createSqliteStore } from '../adapters/embedded-cluster/sqlite-store.ts';
import { openSqliteInvocationLog } from '../adapters/invocation-log/sqlite.ts';
import { createRecordedLog, type RecordedLog } from '../invocations/recorded-log.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import { loadRuntimes, type Runtime } from '../runtimes/catalogue.ts';
import { type Images, openImages } from './build/images.ts';
import type { Environment } from './environment.ts';
import type { LocalFolder } from './folder.ts';
import { forgetLastRun } from './forget.ts';
import type { JobDeps } from './job/pod-run.ts';
import { removeOldLogs } from './old-logs.ts';
import { createPorts } from './process/ports.ts';
import { createProcessRecords } from './process/records.ts';
import { runnableRuntimes } from './runnable.ts';

/** All that local mode keeps and runs on: cluster, object store, images, and what processes need. */
export interface Machine extends JobDeps {
  readonly cluster: EmbeddedCluster;
  readonly store: ObjectStore;
  readonly images: Images;
  /** What becomes of calls. */
  readonly calls: RecordedLog;
  /** Runtimes that cannot run here. */
  readonly missing: readonly Runtime[];
}

interface MachineDeps {
  readonly clock: Clock;
  readonly logger: Logger;
}

interface MachineOptions {
  readonly folder: LocalFolder;
  /** The folder of the installed sless: `runtimes/` and so on. */
  readonly home: string;
  readonly environment: Environment;
  readonly invocationsRetentionDays: number;
}

/**
 * Opens the state, ends what an earlier run has left running, and forgets what it had started. `opened` closes it.
 */
export async function openMachine(
  deps: MachineDeps,
  options: MachineOptions,
  opened: AsyncDisposableStack,
): Promise<Machine> {
  const { folder, environment } = options;
  const records = createProcessRecords(folder.processes);
  const ended = await records.endStale();
  if (ended > 0) deps.logger.warn({ ended }, 'processes of an earlier run were still there and were ended');
  await rm(folder.temporary, { recursive: true, force: true });
  await mkdir(folder.temporary, { recursive: true, mode: 0o700 });
  await mkdir(folder.logs, { recursive: true, mode: 0o700 });
  await removeOldLogs(folder.logs, deps.clock.now());
  const [store, images, { runtimes, missing }] = await Promise.all([
    openDirectoryStore({ folder: folder.objects }),
    openImages(folder.images),
    runnableRuntimes(loadRuntimes(join(options.home, 'runtimes')), environment),
  ]);
  const cluster = createEmbeddedCluster({ ...deps, store: createSqliteStore(folder.state) });
  opened.defer(() => cluster.close());
  const calls = createRecordedLog(openSqliteInvocationLog(folder.invocations), deps, {
    retentionDays: options.invocationsRetentionDays,
  });
  opened.defer(() => calls.close());
  await forgetLastRun(cluster);
  return {
    ...deps,
    cluster,
    calls,
    store,
    images,
    runtimes,
    missing,
    records,
    ports: createPorts(),
    logsFolder: folder.logs,
    temporaryFolder: folder.temporary,
    machine: environment,
    machinePath: environment.PATH,
  };
}
