import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { resolve } from 'node:path';
import { waitFor } from './wait-for.ts';

const PROGRAM = resolve(import.meta.dirname, '../../src/bin/sless.ts');

/** A role of sless as a process of this machine. */
export interface Program {
  readonly url: string;
  readonly pid: number;
  /** The last of what it has said. */
  log(): string;
  /** `kill -9`. */
  kill(): Promise<void>;
  /** SIGTERM, and `kill -9` when that is not heard in time. */
  stop(): Promise<void>;
}

export interface ProgramOptions {
  readonly role: 'operator' | 'api' | 'proxy';
  readonly host: string;
  /** The same one again for a process that was killed; any free one by default. */
  readonly port?: number;
  readonly env: Readonly<Record<string, string>>;
}

const STOP_MS = 15_000;
const MAX_LOG = 20_000;
/** Loading TypeScript and listening takes a second; this machine may have much else to do. */
const START_MS = 60_000;

/** Starts the process and waits for its `/readyz`. The environment holds nothing but what is given and what Node needs. */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { role, host } = options;
  const port = options.port ?? (await freePort(host));
  const ports = { PORT: String(port), OPERATOR_PORT: String(port), METRICS_PORT: '0' };
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...ports, ...options.env };
  const child = spawn(process.execPath, [PROGRAM, role], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      log = (log + chunk).slice(-MAX_LOG);
    });
  const ended = once(child, 'exit');
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (isOver()) return;
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(timer);
  };
  const url = `http://${host}:${port}`;
  await untilReady(role, url, () => (isOver() ? log || `it ended with ${child.exitCode}` : undefined)).catch(
    async (error: unknown) => {
      await end('SIGKILL');
      throw error;
    },
  );
  return { url, pid: child.pid ?? 0, log: () => log, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
}

async function untilReady(role: string, url: string, complaint: () => string | undefined): Promise<void> {
  await waitFor({
    for: `${role} at ${url} ready`,
    timeoutMs: START_MS,
    look: async () => complaint() ?? (await fetch(`${url}/readyz`)).status,
    // A process that has ended will not become ready.
    holds: (state) => state === 200 || typeof state === 'string',
  }).then((state) => {
    if (state !== 200) throw new Error(`${role} did not start: ${state}`);
  });
}

/** A port of that address that was free a moment ago. */
export async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
