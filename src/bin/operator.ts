import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from '../config/config.ts';
import { createOperator } from '../operator/app.ts';
import { serveOperator } from '../operator/server.ts';
import type { HookSettings } from '../operator/settings.ts';
import type { BuilderSettings } from '../resources/function/settings.ts';
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
      builder: builderSettings(config, registry),
    },
    triggers: {
      cron: { image: config.curlImage },
      urls: {
        externalUrl,
        ...(config.fnHost === undefined ? {} : { fnHost: config.fnHost }),
        ...(config.fnDomain === undefined ? {} : { fnDomain: config.fnDomain }),
      },
    },
  };
}

function builderSettings(config: Config, registry: string): BuilderSettings {
  const { kanikoImage: image, buildCacheClaim: cacheClaim } = config;
  const kaniko = {
    mode: config.buildMode,
    storeSecret: config.buildS3Secret,
    storeRegion: config.s3Region,
    ...(cacheClaim === undefined ? {} : { cacheClaim }),
  };
  return {
    slessImage: config.slessImage ?? `${registry}/sless:v${installedVersion()}`,
    contextUrl: config.internalUrl,
    ...(image === undefined ? {} : { kaniko: { image, ...kaniko } }),
    ...(config.buildServiceAccount === undefined ? {} : { serviceAccount: config.buildServiceAccount }),
    ...(config.pushSecret === undefined ? {} : { pushSecret: config.pushSecret }),
    insecureRegistry: config.registryInsecure,
    ...(config.registryCaFile === undefined ? {} : { registryCa: certificatesIn(config.registryCaFile) }),
    resources: { requests: config.buildRequests, limits: config.buildLimits },
    volumeSize: config.buildVolumeSize,
  };
}

/** @throws ConfigError when the file has none, or cannot be read */
function certificatesIn(file: string): string {
  const wrong = (why: string) => new ConfigError([`REGISTRY_CA_FILE ${why} (it is ${JSON.stringify(file)})`]);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw wrong(`cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  // Nothing else goes into the pods of tenants, be there a key in the same file.
  const found = text.match(/-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g);
  if (found === null) throw wrong('holds no certificate in PEM form');
  return `${found.join('\n')}\n`;
}
