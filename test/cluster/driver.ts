import { resolve } from 'node:path';
import { apiServer } from './api-server.ts';
import { type Child, startChild } from './child.ts';
import type { ClusterEnvironment } from './environment.ts';
import {
  installControllers,
  installMetacontrollerCrds,
  removeMetacontrollerCrds,
  startMetacontroller,
} from './metacontroller.ts';

const LOOP = resolve(import.meta.dirname, 'loop-process.ts');

/** What calls the hooks and does what they answer. */
export type DriverName = 'sync loop' | 'dynamic-apply' | 'server-side-apply';

/** A driver as a process of this machine. */
export interface Driver extends Pick<Child, 'log' | 'kill'> {
  readonly name: DriverName;
  /** Starts it again after it was killed, with nothing remembered. */
  revive(): void;
  /** Ends it, with all that it needed in the cluster. */
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
  const env = { PATH: process.env.PATH, HOME: process.env.HOME };
  const start = () => startChild(process.execPath, [LOOP, environment.kubeconfig, operatorUrl], env);
  return revivable('sync loop', start, async () => undefined);
}

async function startReal(
  name: Exclude<DriverName, 'sync loop'>,
  { environment, operatorUrl }: DriverOptions,
): Promise<Driver> {
  const { kubeconfig, metacontroller } = environment;
  const server = apiServer(kubeconfig);
  if (server === undefined || metacontroller === undefined)
    throw new Error('Metacontroller needs KUBECONFIG and METACONTROLLER');
  await installMetacontrollerCrds(server);
  const controllers = await installControllers(server, operatorUrl);
  const start = () => startMetacontroller(metacontroller, name, kubeconfig);
  return revivable(name, start, async () => {
    for (const path of controllers) await server.call('DELETE', path);
    await removeMetacontrollerCrds(server);
    server.close();
  });
}

function revivable(name: DriverName, start: () => Child, remove: () => Promise<void>): Driver {
  let child = start();
  return {
    name,
    log: () => child.log(),
    kill: () => child.kill(),
    revive: () => {
      child = start();
    },
    stop: async () => {
      await child.stop();
      await remove();
    },
  };
}
