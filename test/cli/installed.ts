import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, vi } from 'vitest';
import { installPackage } from './package.ts';

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Something that runs on, and is watched. */
export interface Running {
  /** Everything that it has written. */
  output(): string;
  /** Waits until it has written that. */
  says(what: RegExp | string, timeout?: number): Promise<void>;
  /** Types something, or presses a key. */
  types(keys: string): void;
  /** @returns its exit code, `null` when a signal ended it */
  ended(): Promise<number | null>;
  interrupt(): void;
}

/** The package as it is installed on another machine, and a local platform that was started from it. */
export interface Installed {
  readonly folder: string;
  readonly program: string;
  readonly url: string;
  /** Runs a command to its end, with pipes for its streams. */
  run(words: readonly string[], options?: RunOptions): Promise<Ended>;
  /** Starts a command with pipes for its streams. */
  start(words: readonly string[], options?: RunOptions): Running;
  /** Starts a program on a terminal of its own, 120 columns wide. */
  onTerminal(command: readonly string[], options?: RunOptions): Running;
  close(): Promise<void>;
}

/** Copies between its own streams and a new terminal, and ends as the program there does. */
const TERMINAL = `
import fcntl, os, pty, struct, sys, termios
def window(fd):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 40, 120, 0, 0))
    return os.read(fd, 65536)
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:], window)) % 256)
`;

export async function startInstalled(): Promise<Installed> {
  const { program, folder: root, close } = installPackage();
  const folder = join(root, 'home');
  mkdirSync(folder);
  const env = (more: RunOptions['env'] = {}) => ({
    PATH: process.env.PATH,
    HOME: folder,
    SLESS_DIR: join(folder, '.sless'),
    TERM: 'xterm-256color',
    ...more,
  });
  const launch = ([command = '', ...words]: readonly string[], { cwd = folder, env: more }: RunOptions) =>
    spawn(command, words, { cwd, env: env(more) });
  const start: Installed['start'] = (words, options = {}) =>
    watched(launch([process.execPath, program, ...words], options));
  const platform = start(['local'], { env: { PORT: '0' } });
  await platform.says(/^sless ready http\S+/m, 60_000);
  return {
    folder,
    program,
    url: /^sless ready (\S+)/m.exec(platform.output())?.[1] ?? '',
    start,
    run: async (words, options = {}) => {
      const child = launch([process.execPath, program, ...words], options);
      child.stdin.end(options.input ?? '');
      const [out, err, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ]);
      return { code, out, err };
    },
    onTerminal: (command, options = {}) => watched(launch(['python3', '-c', TERMINAL, ...command], options)),
    close: async () => {
      platform.interrupt();
      await platform.ended();
      close();
    },
  };
}

function watched(child: ReturnType<typeof spawn>): Running {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (piece: Buffer) => {
      output += piece;
    });
  const closed = once(child, 'close');
  return {
    output: () => output,
    says: (what, timeout = 20_000) =>
      vi.waitFor(() => expect(output).toMatch(what), { timeout, interval: 20 }),
    types: (keys) => void child.stdin?.write(keys),
    ended: async () => (await closed)[0] as number | null,
    interrupt: () => void child.kill('SIGINT'),
  };
}
