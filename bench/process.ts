import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
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

/** A container may have two cores and neither of these. */
const PINNED =
  availableParallelism() > 1 &&
  ['0', '1'].every((core) => spawnSync('taskset', ['-c', core, 'true']).status === 0);

/** Whether processes can be kept to a core here. Without that, ratios by processor time still hold, rates do not. */
export const pinned = (): boolean => PINNED;

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

/** By thread and in nanoseconds: the process as a whole is counted in ticks of 10 ms, too coarse for a short round. */
function cpuOf(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks.reduce((sum, task) => sum + nanosOf(`/proc/${pid}/task/${task}/schedstat`), 0) / 1000;
}

const nanosOf = (file: string): number => Number(readFileSync(file, 'utf8').split(' ')[0]);

function rssOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
}

/** Whether processor times can be read here. */
export const measurable = (): boolean => existsSync('/proc/self/schedstat');
