import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';

/** A process under measurement. It prints `port <n>` when it listens and ends when its input does. */
export interface Measured {
  readonly port: number;
  /** Processor time used so far, in microseconds. */
  cpuMicros(): number;
  /** Resident memory in bytes. */
  rss(): number;
  stop(): Promise<void>;
}

/** Core 0 carries what is measured, core 1 the rest. */
export type Core = 0 | 1;

const PINNED = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;

/** Whether processes can be kept to a core here. Without that, ratios by processor time still hold, rates do not. */
export const pinned = (): boolean => PINNED;

/** Linux counts processor time in ticks of 10 ms. */
const TICK_MICROS = 10_000;

/** Spawns on a core. */
export function spawnOn(core: Core, command: string, args: readonly string[]): ChildProcess {
  const stdio = ['pipe', 'pipe', 'inherit'] as const;
  return PINNED
    ? spawn('taskset', ['-c', String(core), command, ...args], { stdio: [...stdio] })
    : spawn(command, [...args], { stdio: [...stdio] });
}

/** Starts a server and waits for its port. */
export async function start(core: Core, command: string, args: readonly string[]): Promise<Measured> {
  const child = spawnOn(core, command, args);
  const pid = child.pid ?? 0;
  const port = await portOf(child);
  return {
    port,
    cpuMicros: () => cpuOf(pid),
    rss: () => rssOf(pid),
    stop: () => stop(child),
  };
}

/** Starts a file of this folder with this Node. */
export const startNode = (core: Core, file: string, args: readonly string[] = []): Promise<Measured> =>
  start(core, process.execPath, [file, ...args]);

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`ended with ${code} before it listened`)));
    child.once('error', reject);
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      const port = /^port (\d+)$/.exec(line)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
  });
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) resolve();
    child.once('exit', () => resolve());
    child.stdin?.end();
    setTimeout(() => child.kill('SIGKILL'), 2000).unref();
  });
}

function cpuOf(pid: number): number {
  // Fields behind the name, which may hold blanks: utime and stime are the 12th and 13th of them.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MICROS;
}

function rssOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
}

/** Whether processor times can be read here. */
export const measurable = (): boolean => existsSync('/proc/self/stat');
