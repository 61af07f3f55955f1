import { resolve } from 'node:path';
import { freePort } from '../contracts/binary.ts';
import { type Child, startChild } from './child.ts';
import { waitFor } from './wait-for.ts';

const PROGRAM = resolve(import.meta.dirname, '../../src/bin/sless.ts');

/** A role of sless as a process of this machine. */
export interface Program extends Pick<Child, 'log' | 'kill' | 'stop'> {
  readonly url: string;
  /** Starts it again at the same address, after it was killed. */
  revive(): Promise<void>;
}

export interface ProgramOptions {
  readonly role: 'operator' | 'api' | 'proxy';
  readonly host: string;
  /** The same one again for a process that was killed; any free one by default. */
  readonly port?: number;
  readonly env: Readonly<Record<string, string>>;
}

/** Loading TypeScript and listening takes a second; this machine may have much else to do. */
const START_MS = 60_000;

/** Starts the process and waits for its `/readyz`. The environment holds nothing but what is given and what Node needs. */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { role, host } = options;
  const port = options.port ?? (await freePort(host));
  const ports = { PORT: String(port), OPERATOR_PORT: String(port), METRICS_PORT: '0' };
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...ports, ...options.env };
  const url = `http://${host}:${port}`;
  const start = async (): Promise<Child> => {
    const started = startChild(process.execPath, [PROGRAM, role], env);
    await untilReady(role, url, started).catch(async (error: unknown) => {
      await started.kill();
      throw error;
    });
    return started;
  };
  let child = await start();
  return {
    url,
    log: () => child.log(),
    kill: () => child.kill(),
    stop: () => child.stop(),
    revive: async () => {
      child = await start();
    },
  };
}

async function untilReady(role: string, url: string, child: Child): Promise<void> {
  await waitFor({
    for: `${role} at ${url} ready`,
    timeoutMs: START_MS,
    look: async () => child.ended() ?? (await fetch(`${url}/readyz`)).status,
    // A process that has ended will not become ready.
    holds: (state) => state === 200 || typeof state === 'string',
  }).then((state) => {
    if (state !== 200) throw new Error(`${role} did not start: ${child.log() || state}`);
  });
}
