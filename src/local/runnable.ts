import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Runtime, RuntimeCatalogue } from '../runtimes/catalogue.ts';
import type { Environment } from './environment.ts';
import { resolveProgram, searchPath } from './process/program.ts';

const run = promisify(execFile);

/** A first start of an interpreter from a cold disk. */
const PROBE_MS = 10_000;

/** Runtimes that can run on this machine, and those that cannot. */
export interface Runnable {
  readonly runtimes: RuntimeCatalogue;
  readonly missing: readonly Runtime[];
}

/** Asks each runtime's own probe whether it can run here. */
export async function runnableRuntimes(catalogue: RuntimeCatalogue, machine: Environment): Promise<Runnable> {
  const answers = await Promise.all(
    [...catalogue.values()].map(async (runtime) => ({ runtime, runs: await canRun(runtime, machine) })),
  );
  return {
    runtimes: new Map(answers.filter(({ runs }) => runs).map(({ runtime }) => [runtime.name, runtime])),
    missing: answers.filter(({ runs }) => !runs).map(({ runtime }) => runtime),
  };
}

async function canRun(runtime: Runtime, machine: Environment): Promise<boolean> {
  const path = searchPath(machine.PATH);
  const [program = '', ...args] = resolveProgram(runtime.local.probe, path);
  try {
    await run(program, args, { timeout: PROBE_MS, env: { ...machine, PATH: path } });
    return true;
  } catch {
    return false;
  }
}
