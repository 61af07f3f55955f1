import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

/** What to run. Nothing is inherited: the environment is exactly `env`. */
export interface Command {
  /** The program as an absolute path, then its arguments. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** How a process ended: by itself with a code, or by a signal. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running process group. */
export interface Guarded {
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** When the process itself has ended; whatever else was left of its group has been killed then, as in a container. */
  readonly exited: Promise<Exit>;
  /** Signals the process alone, or `SIGKILL` its whole group. Nothing happens once it has ended. */
  kill(signal: NodeJS.Signals): void;
}

/**
 * Runs before the program, in its process group: waits for the end of a pipe whose other end this process holds, and
 * then ends the group. So nothing outlives a `kill -9` of the parent, no pid is ever confused with another's (the
 * waiting shell keeps the group's id taken), and the program knows nothing of it: the shell is not its child.
 * One second of grace, so that all is over within two.
 */
const GUARD = `( trap '' TERM HUP INT; (read -r _ <&3; kill -TERM 0; sleep 1; kill -KILL 0) </dev/null >/dev/null 2>&1 & )
exec "$@" 3<&-`;

/**
 * Starts a program in a process group of its own, which ends at the latest two seconds after this process does.
 * A program that cannot be run exits with 126 or 127 and says why on its standard error, as in every shell.
 *
 * @throws Error when the machine refuses to start any process.
 */
export function spawnGuarded({ argv, cwd, env }: Command): Guarded {
  const child = spawn('/bin/sh', ['-c', GUARD, 'sless', ...argv], {
    cwd,
    env: { ...env },
    detached: true, // a session of its own: Ctrl-C in the terminal reaches the parent alone
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const exited = exitOf(child);
  const { pid, stdout, stderr } = child;
  if (pid === undefined || stdout === null || stderr === null) {
    throw new Error(`no process could be started in ${cwd}`);
  }
  let guarded = true;
  child.stdio[3]?.on('close', () => {
    guarded = false;
  });
  child.stdio[3]?.on('error', () => {});
  const killGroup = () => {
    if (guarded) signalGroup(pid, 'SIGKILL');
  };
  return {
    pid,
    stdout,
    stderr,
    exited: exited.then((exit) => {
      killGroup();
      return exit;
    }),
    kill: (signal) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      if (signal === 'SIGKILL') killGroup();
      child.kill(signal);
    },
  };
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('error', () => resolve({ code: 127, signal: null }));
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

/** Signals every process of a group; one that is gone is fine. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
