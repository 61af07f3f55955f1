import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dockerLogin } from '../adapters/docker-config.ts';
import { createKubernetesInstallationSite } from '../adapters/kubernetes/installation-site.ts';
import { createKubernetesWebhookTrust } from '../adapters/kubernetes/webhook-trust.ts';
import { createOciRegistry } from '../adapters/oci-registry.ts';
import type { Config } from '../config/config.ts';
import { reportText } from '../preflight/finding.ts';
import { preflight } from '../preflight/preflight.ts';
import type { WantedImage } from '../preflight/stores.ts';
import { runtimeImage } from '../resources/function/image.ts';
import { loadRuntimes } from '../runtimes/catalogue.ts';
import { createLogger } from '../telemetry/logger.ts';
import { HOME, installedVersion } from './home.ts';
import { connectKubernetes } from './kubernetes.ts';
import { openRegistryFetch } from './registry-access.ts';
import { openStore } from './store.ts';

/** Says in words what an installation lacks; the exit code is 1 when that is anything. */
export async function runPreflight(
  config: Config,
  { installed }: { readonly installed: boolean },
): Promise<void> {
  const { connection } = connectKubernetes(config, createLogger({ level: 'fatal' }));
  const store = openStore(config);
  const { systemNamespace: namespace, operatorService: service } = config;
  const trust = createKubernetesWebhookTrust({
    ...{ connection, namespace, service },
    ...{ secret: config.certificateSecret, owner: config.certificateOwner },
  });
  const { registryInsecure: insecure, registryAuthFile: logins } = config;
  const access = openRegistryFetch(config);
  const credentials = logins === undefined ? undefined : (host: string) => dockerLogin(logins, host);
  const deps = {
    site: createKubernetesInstallationSite({ connection }),
    trust,
    store,
    registry: createOciRegistry(access.fetch, { insecure, ...(credentials ? { credentials } : {}) }),
  };
  const findings = await preflight(deps, {
    controllers: controllerFiles(),
    metacontroller: config.metacontroller,
    webhookUrl: `https://${service}.${namespace}:8443`,
    bucket: config.s3Bucket ?? '',
    images: wantedImages(config),
    installed,
  });
  store.close();
  await access.close();
  await connection.close();
  process.stdout.write(reportText(findings));
  if (findings.some(({ level }) => level === 'missing')) process.exitCode = 1;
}

function controllerFiles(): string[] {
  const folder = join(HOME, 'metacontroller');
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  return files.map((name) => readFileSync(join(folder, name), 'utf8'));
}

function wantedImages({
  registryHost: registry = '',
  slessImage,
  runtimeImageTemplate,
}: Config): WantedImage[] {
  const runtimes = [...loadRuntimes(join(HOME, 'runtimes')).values()];
  return [
    { image: slessImage ?? `${registry}/sless:v${installedVersion()}`, what: 'the image of sless' },
    ...runtimes.map((runtime) => ({
      image: runtimeImage({ registry, runtimeImageTemplate }, runtime),
      what: `the image of the runtime ${runtime.name}`,
    })),
  ];
}
