import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { namespaceOf } from '../gateway/auth/subject.ts';
import { metricsText } from '../gateway/proxy/metrics-text.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { createMetrics, serveMetrics } from '../telemetry/metrics.ts';
import { startControl } from './control.ts';
import type { Environment } from './environment.ts';
import { type Events, type EventsOptions, startEvents } from './events.ts';
import { replaceFile } from './file.ts';
import type { LocalFolder } from './folder.ts';
import { type Front, type FrontOptions, listen, openFront } from './front.ts';
import { openTokens, TOKEN_SECONDS } from './identity/tokens.ts';
import { openMachine } from './machine.ts';
import { runtimeLines } from './runnable.ts';
import { runSamples, type SamplesDeps } from './samples/samples.ts';

export interface PlatformDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** One line for whoever started sless. */
  readonly print: (line: string) => void;
}

export interface PlatformOptions extends FrontOptions, EventsOptions {
  readonly folder: LocalFolder;
  readonly invocationsRetentionDays: number;
  readonly home: string;
  readonly environment: Environment;
  readonly host: string;
  /** 0 takes any free port, here and below. */
  readonly port: number;
  readonly metricsPort: number;
}

/** The whole of sless in one process, running. */
export interface Platform {
  readonly endpoint: string;
  /** Ends everything in order: no new calls, calls under way, processes, state. */
  stop(): Promise<void>;
}

/** Whose token lies in the folder. */
const SUBJECT = 'local';
/** Functions of an earlier run are waited for before anyone is told that all is ready; one that hangs is not. */
const SETTLE_MS = 5000;
const POLL_MS = 10;

/**
 * Starts everything and says so. The caller holds the folder's lock. What was opened is closed in reverse: when all ends,
 * and when a step of the start fails.
 */
export async function startPlatform(deps: PlatformDeps, options: PlatformOptions): Promise<Platform> {
  const opened = new AsyncDisposableStack();
  try {
    const endpoint = await openPlatform(deps, options, opened);
    return { endpoint, stop: () => opened.disposeAsync() };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

/** @returns the endpoint. Calls under way end before the functions do: the front is opened after them. */
async function openPlatform(
  deps: PlatformDeps,
  options: PlatformOptions,
  opened: AsyncDisposableStack,
): Promise<string> {
  const { host, home, folder } = options;
  const { server, port, drain } = await listen(options, opened);
  const endpoint = `http://${host}:${port}`;
  const machine = await openMachine(deps, options, opened);
  const tokens = await openTokens(folder.key, deps.clock);
  const token = await tokens.mint(SUBJECT, { seconds: TOKEN_SECONDS });
  const namespace = namespaceOf(SUBJECT);
  let ready = false;
  let front: Front | undefined;
  let events: Events | undefined;
  const metrics = createMetrics(
    () =>
      (front ? metricsText(front.proxy.stats()) : '') + (events?.metrics() ?? '') + machine.calls.metrics(),
  );
  const metricsServer = await serveMetrics(metrics, { host, port: options.metricsPort });
  opened.defer(() => metricsServer.close());
  await writeUserFiles(folder, { endpoint, token, namespace });
  const control = startControl(machine, { home, externalUrl: options.externalUrl ?? endpoint }, opened);
  events = startEvents(machine, options, opened);
  const { keys } = tokens;
  front = openFront(
    { machine, server, drain, keys, endpoint, token, events, ready: () => ready, observe: metrics.observe },
    options,
    opened,
  );
  const { proxy } = front;
  for (const line of runtimeLines(machine)) deps.print(line);
  await until(() => proxy.ready() && events?.ready() === true);
  await until(() => control.settled(), SETTLE_MS);
  ready = true;
  deps.print(`sless ready ${endpoint}`);
  const user = { endpoint, token, namespace };
  startSamples({ ...machine, print: deps.print, user }, options, opened);
  opened.defer(() => {
    ready = false;
  });
  return endpoint;
}

function startSamples(
  deps: Omit<SamplesDeps, 'user'> & { readonly user: UserFacts },
  { home, folder }: PlatformOptions,
  opened: AsyncDisposableStack,
): void {
  const ending = new AbortController();
  const user = { ...deps.user, signal: ending.signal };
  const samples = runSamples({ ...deps, user }, { examples: join(home, 'examples'), memory: folder.samples });
  opened.defer(() => {
    ending.abort();
    return samples;
  });
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
