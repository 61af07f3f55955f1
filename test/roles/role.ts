import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { resolve } from 'node:path';
import { expect, vi } from 'vitest';
import { leaks, secretsOf } from '../secrets/forms.ts';

const PROGRAM = resolve(import.meta.dirname, '../../src/bin/sless.ts');

/** A role of sless in a process of its own. */
export interface Role {
  readonly port: number;
  readonly metricsPort: number;
  readonly internalPort: number;
  readonly operatorPort: number;
  readonly pid: number;
  /** All that it has said. */
  log(): string;
  kill(signal: NodeJS.Signals): void;
  /** Its exit code, once it has ended. */
  readonly ended: Promise<number | null>;
  get(path: string, port?: number): Promise<{ readonly status: number; readonly text: string }>;
}

/** Each with the secrets that it was given. */
const running = new Map<Role, Readonly<Record<string, string>>>();

/** Ends what a test has left. Nothing of what it has said may hold a secret that it was given. */
export async function endRoles(): Promise<void> {
  const told: string[] = [];
  for (const [role, secrets] of running) {
    role.kill('SIGKILL');
    await role.ended;
    told.push(...leaks(role.log(), secrets));
  }
  running.clear();
  expect(told, 'secrets in logs').toEqual([]);
}

/** Starts `sless <words>` and waits until it listens. The environment holds nothing else. `program` may lie elsewhere. */
export async function startRole(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  program = PROGRAM,
): Promise<Role> {
  const [port = 0, metricsPort = 0, internalPort = 0, operatorPort = 0] = await freePorts(4);
  const ports = {
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    INTERNAL_PORT: String(internalPort),
    OPERATOR_PORT: String(operatorPort),
  };
  const child = spawn(process.execPath, [program, ...words], {
    env: { PATH: process.env.PATH, ...ports, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (log += chunk));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const role: Role = {
    port,
    metricsPort,
    internalPort,
    operatorPort,
    pid: child.pid ?? 0,
    log: () => log,
    kill: (signal) => void child.kill(signal),
    ended,
    get: async (path, at = port) => {
      const response = await fetch(`http://127.0.0.1:${at}${path}`, { redirect: 'manual' });
      return { status: response.status, text: await response.text() };
    },
  };
  running.set(role, secretsOf(env));
  const listens = vi.waitFor(
    () => {
      if (!/(listens|operator ready)"/.test(log)) throw new Error(`it does not listen: ${log}`);
    },
    { timeout: 25_000, interval: 20 },
  );
  const code = await Promise.race([listens, ended.then((code) => ({ code }))]);
  if (code !== undefined) throw new Error(`it ended with ${code.code}: ${log}`);
  return role;
}

/** Ports that were free a moment ago. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(
    servers.map((server) => {
      server.close();
      return once(server, 'close');
    }),
  );
  return ports;
}
