import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { namespaceOf } from '../gateway/auth/subject.ts';
import { metricsText } from '../gateway/proxy/metrics-text.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { createMetrics, serveMetrics } from '../telemetry/metrics.ts';
import { startControl } from './control.ts';
import type { Environment } from './environment.ts';
import { replaceFile } from './file.ts';
import type { LocalFolder } from './folder.ts';
import { type Front, type FrontOptions, listen, openFront } from './front.ts';
import { openTokens, TOKEN_SECONDS } from './identity/tokens.ts';
import { openMachine } from './machine.ts';
import { runSamples } from './samples/samples.ts';

export interface PlatformDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** One line for whoever started sless. */
  readonly print: (line: string) => void;
}

export interface PlatformOptions extends FrontOptions {
  readonly folder: LocalFolder;
  readonly home: string;
  readonly environment: Environment;
  readonly host: string;
  /** 0 takes any free port, here and below. */
  readonly port: number;
  readonly metricsPort: number;
  /** Where users reach it, when that is not the address on which it listens. */
  readonly externalUrl: string | undefined;
}

/** The whole of sless in one process, running. */
export interface Platform {
  readonly endpoint: string;
  /** Ends everything in order: no new calls, calls under way, processes, state. */
  stop(): Promise<void>;
}

/** Whose token lies in the folder. */
const SUBJECT = 'local';
/** What functions get to end in when all ends. */
const GRACE_MS = 5000;
/** Functions of an earlier run are waited for before anyone is told that all is ready; one that hangs is not. */
const SETTLE_MS = 5000;
const POLL_MS = 10;

/** Starts everything and says so. The caller holds the folder's lock. */
export async function startPlatform(deps: PlatformDeps, options: PlatformOptions): Promise<Platform> {
  const { server, port } = await listen(options.host, options.port);
  const endpoint = `http://${options.host}:${port}`;
  const machine = await openMachine(deps, options);
  const tokens = await openTokens(options.folder.key, deps.clock);
  const token = await tokens.mint(SUBJECT, { seconds: TOKEN_SECONDS });
  const namespace = namespaceOf(SUBJECT);
  await writeUserFiles(options.folder, { endpoint, token, namespace });
  let ready = false;
  let front: Front | undefined;
  const metrics = createMetrics(() => (front === undefined ? '' : metricsText(front.proxy.stats())));
  const metricsServer = await serveMetrics(metrics, { host: options.host, port: options.metricsPort });
  front = openFront(
    { machine, server, keys: tokens.keys, ready: () => ready, observe: metrics.observe },
    options,
  );
  const { proxy } = front;
  const externalUrl = options.externalUrl ?? endpoint;
  const control = startControl(machine, { home: options.home, externalUrl });
  for (const { name, local } of machine.missing) deps.print(`${name} is left out: ${local.missing}`);
  await until(() => proxy.ready());
  await until(() => control.settled(), SETTLE_MS);
  ready = true;
  deps.print(`sless ready ${endpoint}`);
  const ending = new AbortController();
  const samples = runSamples(
    { ...machine, print: deps.print, user: { endpoint, token, namespace, signal: ending.signal } },
    { examples: join(options.home, 'examples'), memory: options.folder.samples },
  );
  return {
    endpoint,
    stop: async () => {
      ready = false;
      ending.abort();
      await samples;
      await front?.close();
      await control.stop(GRACE_MS);
      metricsServer.close();
      machine.cluster.close();
    },
  };
}

async function until(holds: () => boolean, milliseconds = Number.POSITIVE_INFINITY): Promise<void> {
  const end = performance.now() + milliseconds;
  while (!holds() && performance.now() < end) await sleep(POLL_MS);
}

interface UserFacts {
  readonly endpoint: string;
  readonly token: string;
  readonly namespace: string;
}

/** What a user's shell needs. The token file holds the bare token, without a line feed. */
async function writeUserFiles(folder: LocalFolder, { endpoint, token, namespace }: UserFacts): Promise<void> {
  const env = { SLESS_ENDPOINT: endpoint, SLESS_API_TOKEN: token, SLESS_NAMESPACE: namespace };
  const lines = Object.entries(env).map(([name, value]) => `${name}=${value}\n`);
  await Promise.all([
    replaceFile(folder.token, token),
    replaceFile(folder.namespace, namespace),
    replaceFile(folder.env, lines.join('')),
  ]);
}
