import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { createOperator } from '../operator/app.ts';
import { serveOperator } from '../operator/server.ts';
import type { HookSettings } from '../operator/settings.ts';
import { loadRuntimes } from '../runtimes/catalogue.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createMetrics, serveMetrics } from '../telemetry/metrics.ts';
import { ALL, HOME, installedVersion } from './home.ts';
import { stopOnSignal } from './lifetime.ts';

/** Serves the webhooks until the process is told to end. */
export async function runOperator(config: Config): Promise<void> {
  const logger = createLogger({ level: config.logLevel });
  const app = createOperator({ settings: hookSettings(config), clock: Date, logger });
  const { tlsCertFile, tlsKeyFile } = config;
  const tls =
    tlsCertFile === undefined || tlsKeyFile === undefined
      ? {}
      : { tls: { certFile: tlsCertFile, keyFile: tlsKeyFile } };
  const server = await serveOperator(app, { host: ALL, port: config.operatorPort, ...tls }, logger);
  const metrics = await serveMetrics(createMetrics(), { host: ALL, port: config.metricsPort });
  logger.info({ port: server.port, metricsPort: metrics.port, tls: 'tls' in tls }, 'operator ready');
  stopOnSignal(logger, 'operator', async () => {
    await server.close();
    metrics.close();
  });
}

/** What the hooks know of the installation, from its settings. */
function hookSettings(config: Config): HookSettings {
  // Required of this role, so `loadConfig` has refused to go on without them.
  const { registryHost: registry = '', s3Bucket: bucket = '', externalUrl = '' } = config;
  return {
    functions: {
      runtimes: loadRuntimes(join(HOME, 'runtimes')),
      registry,
      imageTemplate: config.imageTemplate,
      runtimeImageTemplate: config.runtimeImageTemplate,
      bucket,
      resources: { requests: config.functionRequests, limits: config.functionLimits },
      ...(config.pullSecret === undefined ? {} : { pullSecret: config.pullSecret }),
      builder: {
        fetchImage: config.slessImage ?? `${registry}/sless:v${installedVersion()}`,
        contextUrl: config.internalUrl,
        craneImage: config.craneImage,
        ...(config.kanikoImage === undefined ? {} : { dockerfileImage: config.kanikoImage }),
        ...(config.buildServiceAccount === undefined ? {} : { serviceAccount: config.buildServiceAccount }),
        ...(config.pushSecret === undefined ? {} : { pushSecret: config.pushSecret }),
        insecureRegistry: config.registryInsecure,
        resources: { requests: config.buildRequests, limits: config.buildLimits },
      },
    },
    triggers: {
      urls: {
        externalUrl,
        ...(config.fnHost === undefined ? {} : { fnHost: config.fnHost }),
        ...(config.fnDomain === undefined ? {} : { fnDomain: config.fnDomain }),
      },
    },
  };
}
