import type { Config } from '../config/config.ts';
import { rebuildAll } from '../rebuild/rebuild-all.ts';
import { createLogger } from '../telemetry/logger.ts';
import { connectKubernetes } from './kubernetes.ts';

/** The options of the command as they were typed. */
export interface RebuildCommand {
  readonly namespace?: string;
  readonly atOnce: number;
  readonly id: string;
  readonly dryRun?: true;
}

/** Builds every Function anew, and ends; with an exit code other than 0 when one could not be built. */
export async function runRebuild(config: Config, command: RebuildCommand): Promise<void> {
  const logger = createLogger({ level: config.logLevel });
  const { cluster, connection } = connectKubernetes(config, logger);
  const { namespace, id, atOnce, dryRun = false } = command;
  try {
    logger.info({ id }, 'a run that is broken off carries on with the same --id');
    const summary = await rebuildAll(
      { cluster, logger },
      { id, dryRun, atOnce, ...(namespace === undefined ? {} : { namespace }) },
    );
    logger.info({ ...summary, id, dryRun }, 'rebuild is done');
    if (summary.failed > 0) process.exitCode = 1;
  } finally {
    await connection.close();
  }
}
