import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { delimiter, dirname } from 'node:path';
import type { Runtime } from '../../src/runtimes/catalogue.ts';
import { ask } from './wire.ts';

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A runtime's process. */
export interface Running {
  readonly child: ChildProcess;
  /** Both streams, in the order they came. */
  output(): string;
  readonly exited: Promise<Exit>;
}

export interface Served extends Running {
  readonly port: number;
}

export interface RunOptions {
  readonly folder: string;
  readonly entrypoint?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Stands before the server's command line. */
  readonly wrapper?: readonly string[];
}

/** The environment of a container: PATH and what the contract names, nothing of the test's own. */
export function start(runtime: Runtime, options: RunOptions): Running {
  const argv = [...(options.wrapper ?? []), ...substitute(runtime.local.command)];
  const local = Object.entries(runtime.local.env).map(([name, value]) => [
    name,
    value.replaceAll('{function}', options.folder),
  ]);
  const child = spawn(argv[0] ?? '', argv.slice(1), {
    cwd: runtime.folder,
    env: {
      PATH: searchPath(),
      ...Object.fromEntries(local),
      SLESS_HOST: '127.0.0.1',
      SLESS_FUNCTION_DIR: options.folder,
      ...(options.entrypoint === undefined ? {} : { SLESS_ENTRYPOINT: options.entrypoint }),
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  child.stdout?.on('data', (chunk: Buffer) => void output.push(chunk.toString('utf8')));
  child.stderr?.on('data', (chunk: Buffer) => void output.push(chunk.toString('utf8')));
  const exited = once(child, 'close').then(([code, signal]) => ({ code, signal }) as Exit);
  return { child, exited, output: () => output.join('') };
}

/** A server that has said it is ready. */
export async function serve(runtime: Runtime, options: RunOptions): Promise<Served> {
  const port = await freePort();
  const running = start(runtime, { ...options, env: { PORT: String(port), ...options.env } });
  let ended = false;
  void running.exited.then(() => {
    ended = true;
  });
  const ready = await eventually(async () => {
    if (ended) throw new Error(`the server ended: ${running.output()}`);
    return (await health(port)) === 200;
  });
  if (!ready) throw new Error(`the server did not get ready: ${running.output()}`);
  return { ...running, port };
}

/** The status of the health route, undefined where nobody listens. */
export async function health(port: number): Promise<number | undefined> {
  try {
    return (await ask(port, { path: '/_sless/health' })).status;
  } catch {
    return undefined;
  }
}

/** Ends what may still run. */
export async function stop(running: Running | undefined): Promise<void> {
  if (running === undefined || running.child.exitCode !== null || running.child.signalCode !== null) return;
  running.child.kill('SIGKILL');
  await running.exited;
}

/** Asks again and again until the condition holds. @returns false when it never did. */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  withinMs = 15_000,
): Promise<boolean> {
  const end = Date.now() + withinMs;
  while (Date.now() < end) {
    if (await condition()) return true;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return false;
}

/** The Node of local mode, which runs the tests too; `RUNTIME_NODE` names another, such as that of the image. */
const NODE = process.env.RUNTIME_NODE ?? process.execPath;

/** The command line with what its placeholder stands for. */
export function substitute(argv: readonly string[]): string[] {
  return argv.map((word) => (word === '{node}' ? NODE : word));
}

export function searchPath(): string {
  return [dirname(NODE), process.env.PATH ?? ''].join(delimiter);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A listening TCP server's address is no string.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
