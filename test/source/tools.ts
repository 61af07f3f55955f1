import { execFileSync, spawnSync } from 'node:child_process';

/** Whether a program is on the PATH. Tests that need it skip with its name in their title. */
export function hasProgram(name: string, probe: readonly string[] = ['--help']): boolean {
  return spawnSync(name, probe, { stdio: 'ignore' }).error === undefined;
}

/** Runs a program to its end. @returns its output; fails with its exit status and what it wrote to stderr. */
export function run(command: string, args: readonly string[], cwd?: string): Buffer {
  return execFileSync(command, args, { stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 64 * 1024 * 1024, cwd });
}
