import type { Readable, Writable } from 'node:stream';

/** All that the commands see of where they run; a test gives its own. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** Answers go here, for people and for pipes. */
  readonly stdout: Writable & { readonly isTTY?: boolean };
  /** Progress and hints go here. */
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly fetch: typeof globalThis.fetch;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
}

export function print({ stdout }: Pick<World, 'stdout'>, line: string): void {
  stdout.write(`${line}\n`);
}

export function note({ stderr }: Pick<World, 'stderr'>, line: string): void {
  stderr.write(`${line}\n`);
}
