import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { kubeconfig } from '../../src/adapters/kubernetes/kubeconfig.ts';
import { parseControllers } from '../../src/local/sync-loop/controllers.ts';
import type { CallHook } from '../../src/local/sync-loop/hook.ts';
import { createSyncLoop } from '../../src/local/sync-loop/sync-loop.ts';
import { KINDS } from '../../src/resources/kube/kinds.ts';
import { silentLogger } from '../contracts/silent-logger.ts';
import { realCluster } from './adapter.ts';
import { apiServer } from './api-server.ts';
import type { ClusterEnvironment } from './environment.ts';
import {
  installControllers,
  installMetacontrollerCrds,
  removeMetacontrollerCrds,
  startMetacontroller,
} from './metacontroller.ts';

const CONTROLLERS = resolve(import.meta.dirname, '../../metacontroller');

/** What calls the hooks and does what they answer. */
export type DriverName = 'sync loop' | 'dynamic-apply' | 'server-side-apply';

export interface Driver {
  readonly name: DriverName;
  /** What it has to say, where it says anything. */
  log(): string;
  stop(): Promise<void>;
}

/** Those that can be had: the sync loop always, Metacontroller under both of its strategies when there is one. */
export function drivers({ metacontroller }: Pick<ClusterEnvironment, 'metacontroller'>): DriverName[] {
  if (metacontroller !== undefined) return ['sync loop', 'dynamic-apply', 'server-side-apply'];
  console.info('METACONTROLLER is not set: the sync loop alone drives the hooks');
  return ['sync loop'];
}

interface DriverOptions {
  readonly environment: ClusterEnvironment;
  readonly operatorUrl: string;
}

/** Starts driving all objects of the cluster. Two drivers at once would work against each other. */
export async function startDriver(name: DriverName, options: DriverOptions): Promise<Driver> {
  return name === 'sync loop' ? startLoop(options) : startReal(name, options);
}

function startLoop({ environment, operatorUrl }: DriverOptions): Driver {
  const { cluster, connection } = realCluster(kubeconfig({ path: environment.kubeconfig }));
  const texts = readdirSync(CONTROLLERS).map((file) => readFileSync(join(CONTROLLERS, file), 'utf8'));
  const loop = createSyncLoop(
    { cluster, callHook: httpHooks(operatorUrl), clock: Date, logger: silentLogger },
    { controllers: parseControllers(texts, Object.values(KINDS)) },
  );
  loop.start();
  return {
    name: 'sync loop',
    log: () => '',
    stop: async () => {
      loop.close();
      await connection.close();
    },
  };
}

/** Asks the hooks of an operator over HTTP. */
function httpHooks(url: string): CallHook {
  return async (path, body, signal) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body, signal });
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    };
  };
}

async function startReal(
  name: Exclude<DriverName, 'sync loop'>,
  { environment, operatorUrl }: DriverOptions,
): Promise<Driver> {
  const server = apiServer(environment.kubeconfig);
  if (server === undefined || environment.metacontroller === undefined)
    throw new Error('Metacontroller needs KUBECONFIG and METACONTROLLER');
  await installMetacontrollerCrds(server);
  const controllers = await installControllers(server, operatorUrl);
  const { log, stop } = startMetacontroller(environment.metacontroller, name);
  return {
    name,
    log,
    stop: async () => {
      for (const path of controllers) await server.call('DELETE', path);
      await stop();
      await removeMetacontrollerCrds(server);
      server.close();
    },
  };
}
