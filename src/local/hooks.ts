import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createOperator } from '../operator/app.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { DEFAULT_IMAGE_TEMPLATE, DEFAULT_RUNTIME_IMAGE_TEMPLATE } from '../resources/function/settings.ts';
import { KINDS } from '../resources/kube/kinds.ts';
import type { TenantSettings } from '../resources/tenant/settings.ts';
import type { RuntimeCatalogue } from '../runtimes/catalogue.ts';
import { type Controller, parseControllers } from './sync-loop/controllers.ts';
import type { CallHook } from './sync-loop/hook.ts';

/** The bucket that specs name in local mode, where there is but one store. */
export const LOCAL_BUCKET = 'sless';

interface HookDeps {
  readonly runtimes: RuntimeCatalogue;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The operator in this process: hooks are called with the very bodies that Metacontroller would send. */
export function createHookCaller({ runtimes, clock, logger }: HookDeps, externalUrl: string): CallHook {
  const settings = {
    functions: functionSettings(runtimes),
    triggers: triggerSettings(externalUrl),
    tenants: NO_TENANCY,
  };
  const operator = createOperator({ settings, clock, logger });
  return async (path, body, signal) => {
    const headers = { 'content-type': 'application/json' };
    const response = await operator.request(path, { method: 'POST', headers, body, signal });
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    };
  };
}

const BUILTIN = 'local/sless:builtin';

/**
 * Names of images are only names here. A build Job is carried out by its annotations, so what its containers would run is
 * never looked at; that there is a builder for Dockerfiles says that functions may have dependencies.
 */
function functionSettings(runtimes: RuntimeCatalogue) {
  const nothing = { requests: {}, limits: {} };
  return {
    runtimes,
    registry: 'local',
    imageTemplate: DEFAULT_IMAGE_TEMPLATE,
    runtimeImageTemplate: DEFAULT_RUNTIME_IMAGE_TEMPLATE,
    bucket: LOCAL_BUCKET,
    resources: nothing,
    builder: {
      slessImage: BUILTIN,
      contextUrl: 'http://127.0.0.1',
      kaniko: { image: BUILTIN, mode: 'isolated' as const, storeSecret: '', storeRegion: '' },
      insecureRegistry: false,
      resources: nothing,
      volumeSize: '1Gi',
    },
  };
}

/** A CronJob is fired by its Trigger's own fields, so the image of its pods is only a name, too. */
function triggerSettings(externalUrl: string) {
  return { urls: { externalUrl }, cron: { image: 'local/sless:builtin' } };
}

/** Asked by nobody, since the loop leaves that controller out. */
const NO_TENANCY: TenantSettings = Object.freeze({
  systemNamespace: 'local',
  internalPort: 8082,
  apiServiceAccount: 'local',
  dispatcherServiceAccount: 'local',
  buildServiceAccount: 'local',
  copiesSecrets: false,
  network: { dns: [], notInternet: [], functions: [], builds: [] },
  quota: {},
  containers: { requests: {}, limits: {}, max: {} },
});

/**
 * The controllers of tenants' namespaces. All that those receive is carried out by a cluster: its network, its admission, its service
 * accounts. Processes of one user on one machine have none of these, and objects that nobody carries out would promise them.
 */
const CLUSTER_ONLY = 'tenants.yaml';

/** What the loop runs: the same manifests that a cluster's Metacontroller gets, but for what only a cluster can carry out. */
export function readControllers(folder: string): Controller[] {
  const texts = readdirSync(folder)
    .filter((name) => name.endsWith('.yaml') && name !== CLUSTER_ONLY)
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  return parseControllers(texts, Object.values(KINDS));
}
