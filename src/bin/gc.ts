import { dockerLogin } from '../adapters/docker-config.ts';
import { createOciRegistry } from '../adapters/oci-registry.ts';
import type { Config } from '../config/config.ts';
import { isSlessError } from '../errors.ts';
import { collectGarbage } from '../gc/collect.ts';
import { repositoryFor } from '../resources/function/image.ts';
import { createLogger } from '../telemetry/logger.ts';
import { connectKubernetes } from './kubernetes.ts';
import { openRegistryFetch } from './registry-access.ts';
import { openStore } from './store.ts';

const DAY_MS = 86_400_000;

/** Throws away what nothing uses, once, and ends; with an exit code other than 0 when something could not be looked at. */
export async function runGc(config: Config, { dryRun }: { readonly dryRun: boolean }): Promise<void> {
  const logger = createLogger({ level: config.logLevel });
  const { cluster, connection } = connectKubernetes(config, logger);
  const store = openStore(config);
  // Required of this role, so `loadConfig` has refused to go on without it.
  const { registryHost: registry = '', registryInsecure: insecure, imageTemplate, registryAuthFile } = config;
  const access = openRegistryFetch(config);
  const credentials = registryAuthFile && ((host: string) => dockerLogin(registryAuthFile, host));
  const images = createOciRegistry(access.fetch, { insecure, ...(credentials ? { credentials } : {}) });
  const deps = { cluster, store, clock: Date, logger, ...(config.gcImages ? { registry: images } : {}) };
  try {
    const summary = await collectGarbage(deps, {
      repositoryOf: (owner) => repositoryFor({ imageTemplate, registry }, owner),
      graceMs: config.gcGraceDays * DAY_MS,
      dryRun,
    });
    logger.info(
      { ...summary, dryRun },
      dryRun ? 'gc has looked, and changed nothing but its marks' : 'gc is done',
    );
    if (summary.failures > 0) process.exitCode = 1;
  } catch (error) {
    if (!isSlessError(error)) throw error;
    logger.error({ err: error }, 'gc has thrown nothing away');
    process.exitCode = 1;
  } finally {
    store.close();
    await access.close();
    await connection.close();
  }
}
