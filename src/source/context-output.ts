import { closeSync, openSync, writeSync } from 'node:fs';
import { MEMBER_HEADER, memberTrailer, storedMember } from './gzip-member.ts';
import { TAR_END_BYTES, type TarFile, tarFileHeader, tarPadding } from './tar-header.ts';

/** Writes a context: a tar in which each file's data may be a DEFLATE stream that somebody else made. */
export interface ContextOutput {
  /** Begins a file; its data follows, by exactly one of `splice` and `store`. None follows an empty file. */
  beginFile(file: TarFile): void;
  /** The file's whole data, kept without compression. */
  store(content: Buffer): void;
  /** The file's data as a raw DEFLATE stream, in pieces. */
  splice(): { write(piece: Buffer): void; end(content: { crc: number; size: number }): void };
  /** Ends the tar. @returns the bytes written. */
  finish(): number;
  close(): void;
}

/** Few system calls, little memory. */
const BUFFER_BYTES = 256 * 1024;

/** Creates or replaces the file at `path`, readable by its owner alone. */
export function createContextOutput(path: string): ContextOutput {
  const output = bufferedFile(path);
  let padding = 0;
  const store = (content: Buffer): void => storedMember(content).forEach(output.write);
  /** Padding shares a member with the header that follows it. */
  const frame = (bytes: Buffer): void => store(Buffer.concat([Buffer.alloc(padding), bytes]));
  return {
    beginFile(file) {
      frame(tarFileHeader(file));
      padding = tarPadding(file.size);
    },
    store,
    splice() {
      output.write(MEMBER_HEADER);
      return { write: output.write, end: ({ crc, size }) => output.write(memberTrailer(crc, size)) };
    },
    finish() {
      frame(Buffer.alloc(TAR_END_BYTES));
      return output.flush();
    },
    close: output.close,
  };
}

function bufferedFile(path: string): { write(bytes: Buffer): void; flush(): number; close(): void } {
  const descriptor = openSync(path, 'w', 0o600);
  const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  let used = 0;
  let written = 0;
  const flush = (): number => {
    writeFully(descriptor, buffer.subarray(0, used));
    written += used;
    used = 0;
    return written;
  };
  const write = (bytes: Buffer): void => {
    if (used + bytes.length > BUFFER_BYTES) flush();
    if (bytes.length > BUFFER_BYTES) {
      writeFully(descriptor, bytes);
      written += bytes.length;
    } else used += bytes.copy(buffer, used);
  };
  return { write, flush, close: () => closeSync(descriptor) };
}

/** Writes all of it: the system may take less at a time. */
export function writeFully(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
}
