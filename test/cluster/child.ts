import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A process of this machine that a test has started. */
export interface Child {
  readonly pid: number;
  /** The last of what it has said, on both of its outputs. */
  log(): string;
  /** How it ended, or why it never began; `undefined` while it runs. */
  ended(): string | undefined;
  /** `kill -9`. */
  kill(): Promise<void>;
  /** SIGTERM, and `kill -9` when that is not heard in time. */
  stop(): Promise<void>;
}

const STOP_MS = 15_000;
const MAX_LOG = 20_000;

/** Starts a program with exactly this environment. */
export function startChild(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Child {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  let failure: string | undefined;
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      log = (log + chunk).slice(-MAX_LOG);
    });
  const exit = once(child, 'exit').catch((error: unknown) => {
    failure = String(error);
  });
  const ended = (): string | undefined => {
    if (failure !== undefined) return failure;
    const how = child.exitCode ?? child.signalCode;
    return how === null ? undefined : `it ended with ${how}`;
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (ended() !== undefined) return;
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await exit;
    clearTimeout(timer);
  };
  return {
    pid: child.pid ?? 0,
    log: () => log,
    ended,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}
