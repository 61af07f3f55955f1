import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** How soon a reader sees what was written: a file has no better way to tell. */
const POLL_MS = 100;
const READ_BYTES = 64 * 1024;
const MAX_LINE = 64 * 1024;

/** What a reader of a growing file gets: its next line, or the news that there is no more for now. */
export type Growth = string | typeof CAUGHT_UP;
export const CAUGHT_UP = Symbol('caught up');

/**
 * The lines of a file that `LogFile` writes, beginning with what it put aside in `<path>.1`, and then for as long as they
 * are asked for. No file is an empty one. What is longer than 64 KiB comes in pieces; the last line before a `CAUGHT_UP`
 * is there only once it is whole, or `signal` is aborted.
 */
export async function* growingLines(path: string, signal: AbortSignal): AsyncGenerator<Growth> {
  let rest = '';
  let file = (await opened(`${path}.1`)) ?? (await opened(path));
  let decoder = new TextDecoder();
  try {
    while (true) {
      const bytes = await readNext(file);
      if (bytes !== undefined) {
        const lines = `${rest}${decoder.decode(bytes, { stream: true })}`.split('\n');
        rest = lines.pop() ?? '';
        if (rest.length >= MAX_LINE) lines.push(rest);
        if (lines.at(-1) === rest) rest = '';
        yield* lines;
        continue;
      }
      const next = await successor(path, file);
      if (next !== undefined) {
        await file?.close();
        file = next;
        decoder = new TextDecoder();
        continue;
      }
      yield CAUGHT_UP;
      if (signal.aborted) return;
      await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await file?.close();
  }
}

const opened = (path: string): Promise<FileHandle | undefined> => open(path).catch(() => undefined);

async function readNext(file: FileHandle | undefined): Promise<Buffer | undefined> {
  if (file === undefined) return undefined;
  const { bytesRead, buffer } = await file.read({ buffer: Buffer.allocUnsafe(READ_BYTES) });
  return bytesRead === 0 ? undefined : buffer.subarray(0, bytesRead);
}

/** The file that is written now, when it is another one than that which was read to its end. */
async function successor(path: string, read: FileHandle | undefined): Promise<FileHandle | undefined> {
  const written = await stat(path).catch(() => undefined);
  if (written === undefined || written.ino === (await read?.stat())?.ino) return undefined;
  return opened(path);
}
