import { execFile } from 'node:child_process';
import { isAbsolute } from 'node:path';
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

/** What whoever starts sless must know of the runtimes: which are not there, and what another one than a cluster's is. */
export function runtimeLines({ runtimes, missing }: Runnable): string[] {
  const { version } = process;
  return [
    ...missing.map(({ name, local }) => `${name} is left out: ${local.missing}`),
    ...[...runtimes.values()].flatMap(({ name, local: { note } }) =>
      note === undefined ? [] : [`${name} ${note.replaceAll('{nodeVersion}', version.slice(1))}`],
    ),
  ];
}

/** Asks each runtime's own probe whether it can run here. */
export async function runnableRuntimes(catalogue: RuntimeCatalogue, machine: Environment): Promise<Runnable> {
  const answers = await Promise.all(
    [...catalogue.values()].map(async (runtime) => ({ runtime, found: await runnable(runtime, machine) })),
  );
  return {
    runtimes: new Map(answers.flatMap(({ found }) => (found === undefined ? [] : [[found.name, found]]))),
    missing: answers.filter(({ found }) => found === undefined).map(({ runtime }) => runtime),
  };
}

/** The runtime on the first of its programs that can run it. A program that is not there costs nothing to try. */
async function runnable(runtime: Runtime, machine: Environment): Promise<Runtime | undefined> {
  const path = searchPath(machine.PATH);
  for (const program of runtime.local.programs ?? ['']) {
    const [absolute = ''] = resolveProgram([program], path);
    const candidate = onProgram(runtime, absolute);
    const said = await probe(resolveProgram(candidate.local.probe, path), { ...machine, PATH: path });
    if (said !== undefined) return isAbsolute(said) ? onProgram(runtime, said) : candidate;
  }
  return undefined;
}

function onProgram(runtime: Runtime, program: string): Runtime {
  const fill = (argv: readonly string[]) => argv.map((word) => word.replaceAll('{program}', program));
  const { install, local } = runtime;
  return {
    ...runtime,
    install: install.map((step) => ({ ...step, local: fill(step.local) })),
    local: { ...local, command: fill(local.command), probe: fill(local.probe) },
  };
}

/** The first line that the probe prints, or `undefined` when it fails. */
async function probe(
  [program = '', ...args]: readonly string[],
  env: Environment,
): Promise<string | undefined> {
  try {
    const { stdout } = await run(program, args, { timeout: PROBE_MS, env });
    return stdout.split('\n')[0]?.trim() ?? '';
  } catch {
    return undefined;
  }
}
