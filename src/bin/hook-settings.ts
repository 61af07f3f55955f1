import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from '../config/config.ts';
import type { HookSettings } from '../operator/settings.ts';
import type { BuilderSettings, FunctionSettings } from '../resources/function/settings.ts';
import { insidePeer } from '../resources/tenant/inside-peer.ts';
import type { Peer } from '../resources/tenant/peers.ts';
import type { TenantSettings } from '../resources/tenant/settings.ts';
import { loadRuntimes } from '../runtimes/catalogue.ts';
import { copiedSecrets } from './copied-secrets.ts';
import { HOME, installedVersion } from './home.ts';

/** What the hooks know of the installation, from its settings. */
export function hookSettings(config: Config): HookSettings {
  // Required of this role, so `loadConfig` has refused to go on without it.
  const { externalUrl = '' } = config;
  return {
    functions: functionSettings(config),
    triggers: {
      cron: { image: config.curlImage },
      urls: {
        externalUrl,
        ...(config.fnHost === undefined ? {} : { fnHost: config.fnHost }),
        ...(config.fnUrl === undefined ? {} : { fnUrl: config.fnUrl }),
        ...(config.fnDomain === undefined ? {} : { fnDomain: config.fnDomain }),
      },
    },
    tenants: tenantSettings(config),
  };
}

function functionSettings(config: Config): FunctionSettings {
  // Required too.
  const { registryHost: registry = '', s3Bucket: bucket = '' } = config;
  return {
    runtimes: loadRuntimes(join(HOME, 'runtimes')),
    registry,
    imageTemplate: config.imageTemplate,
    runtimeImageTemplate: config.runtimeImageTemplate,
    bucket,
    resources: { requests: config.functionRequests, limits: config.functionLimits },
    ...(config.pullSecret === undefined ? {} : { pullSecret: config.pullSecret }),
    builder: builderSettings(config, registry),
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
    serviceAccount: config.buildServiceAccount,
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

function tenantSettings(config: Config): TenantSettings {
  const { registryHost: registry = '', pullSecret } = config;
  return {
    systemNamespace: config.systemNamespace,
    internalPort: config.internalPort,
    apiServiceAccount: config.apiServiceAccount,
    dispatcherServiceAccount: config.dispatcherServiceAccount,
    buildServiceAccount: config.buildServiceAccount,
    ...(pullSecret === undefined ? {} : { pullSecret }),
    copiesSecrets: copiedSecrets(config).length > 0,
    network: {
      dns: config.tenantDns,
      notInternet: config.notInternet,
      functions: config.tenantEgress,
      builds: [...insidePeer(registry), ...storePeer(config), ...config.buildEgress],
    },
    quota: config.tenantQuota,
    containers: {
      requests: config.functionRequests,
      limits: config.functionLimits,
      max: config.tenantContainerMax,
    },
  };
}

/** Only a builder that does all by itself fetches from the store; the others ask the api. */
function storePeer({ buildMode, s3Endpoint }: Config): readonly Peer[] {
  return buildMode === 'direct' && s3Endpoint !== undefined ? insidePeer(new URL(s3Endpoint).host) : [];
}
