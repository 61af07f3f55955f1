import type { HookSettings } from '../../src/operator/settings.ts';
import {
  DEFAULT_IMAGE_TEMPLATE,
  DEFAULT_RUNTIME_IMAGE_TEMPLATE,
  type FunctionSettings,
} from '../../src/resources/function/settings.ts';
import type { TenantSettings } from '../../src/resources/tenant/settings.ts';
import type { Runtime, RuntimeCatalogue } from '../../src/runtimes/catalogue.ts';

const runtime = (name: string, version: string, suffix: string): Runtime => ({
  name,
  title: name,
  version,
  image: `sless-runtime-${name}`,
  entrypoint: 'handler.handle',
  moduleSuffixes: [suffix],
  install: [],
  local: { command: ['true'], probe: ['true'], missing: '', env: {} },
  folder: `/runtimes/${name}`,
});

/** The two runtimes, python in the version asked for. */
export function catalogue(pythonVersion = 'v1.0.0'): RuntimeCatalogue {
  return new Map([
    ['nodejs20', runtime('nodejs20', 'v1.0.0', '.js')],
    ['python3.11', runtime('python3.11', pythonVersion, '.py')],
  ]);
}

export const FUNCTION_SETTINGS: FunctionSettings = freeze({
  runtimes: catalogue(),
  registry: 'registry.local:5000',
  imageTemplate: DEFAULT_IMAGE_TEMPLATE,
  runtimeImageTemplate: DEFAULT_RUNTIME_IMAGE_TEMPLATE,
  bucket: 'sless',
  resources: { requests: { cpu: '0.05', memory: '64Mi' }, limits: { cpu: '1', memory: '256Mi' } },
  builder: {
    slessImage: 'sless:v0.1.0',
    contextUrl: 'http://sless-api.sless-system.svc:8082',
    kaniko: { image: 'kaniko:v1.24.0', mode: 'isolated', storeSecret: 'sless-s3', storeRegion: 'us-east-1' },
    insecureRegistry: true,
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '2', memory: '2Gi' } },
    volumeSize: '4Gi',
  },
});

/** A tenancy with everything in it. */
export const TENANT_SETTINGS: TenantSettings = freeze({
  systemNamespace: 'sless-system',
  internalPort: 8082,
  apiServiceAccount: 'sless-api',
  dispatcherServiceAccount: 'sless-dispatcher',
  buildServiceAccount: 'sless-builder',
  pullSecret: 'sless-pull',
  copiesSecrets: true,
  network: {
    dns: [{ namespace: 'kube-system', port: 53 }],
    notInternet: ['10.0.0.0/8', '169.254.0.0/16', 'fc00::/7'],
    functions: [{ namespace: 'database', port: 5432 }, { namespace: 'ingress' }],
    builds: [{ block: '10.1.2.3/32', port: 5000 }],
  },
  quota: { 'requests.cpu': '16000m', 'count/jobs.batch': '200', 'requests.memory': '32768Mi' },
  containers: {
    requests: { cpu: '0.05', memory: '64Mi' },
    limits: { memory: '256Mi' },
    max: { memory: '8192Mi' },
  },
});

export const SETTINGS: HookSettings = freeze({
  functions: FUNCTION_SETTINGS,
  triggers: { urls: { externalUrl: 'https://sless.example.com' }, cron: { image: 'curlimages/curl:8.5.0' } },
  tenants: TENANT_SETTINGS,
});

/** Frozen deeply: a hook that touched its input would throw. Maps stay as they are. */
export function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof Map) return value;
  for (const member of Object.values(value)) freeze(member);
  return Object.freeze(value);
}
