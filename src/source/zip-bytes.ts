import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** A zip on disk, read by position. Reads are synchronous: they happen in a worker thread, from the page cache. */
export interface ZipBytes {
  /** Bytes. */
  readonly size: number;
  /**
   * The bytes from `position`, as many of `length` as the file has. They are valid until the next call, which
   * uses the same memory.
   */
  peek(position: number, length: number): Buffer;
  /** The same in memory of its own. */
  read(position: number, length: number): Buffer;
  close(): void;
}

/** What one `peek` may ask for: a local header with the longest name and extra field (131,100 bytes), or most whole files. */
export const PEEK_BYTES = 1024 * 1024;

/** Opens a zip for reading. @throws the system's error, whose message holds the path: not for users. */
export function openZip(path: string): ZipBytes {
  const descriptor = openSync(path, 'r');
  const scratch = Buffer.allocUnsafeSlow(PEEK_BYTES);
  const size = fstatSync(descriptor).size;
  const fill = (into: Buffer, position: number): Buffer =>
    into.subarray(0, readFully(descriptor, into, position));
  return {
    size,
    peek: (position, length) => fill(scratch.subarray(0, within(size, position, length)), position),
    read: (position, length) => fill(Buffer.allocUnsafe(within(size, position, length)), position),
    close: () => closeSync(descriptor),
  };
}

function within(size: number, position: number, length: number): number {
  return Math.max(0, Math.min(length, size - position));
}

function readFully(descriptor: number, into: Buffer, position: number): number {
  let filled = 0;
  while (filled < into.length) {
    const count = readSync(descriptor, into, filled, into.length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled;
}
