import { createHash, hash } from 'node:crypto';
import { crc32, createDeflateRaw, createInflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib';
import { refuseEntry } from './archive-error.ts';
import type { ContextOutput } from './context-output.ts';
import { isStored } from './entry-kind.ts';
import type { DataRange } from './local-header.ts';
import { ownedBytes, release, through } from './memory.ts';
import type { TreeEntry } from './tree.ts';

/** The bytes of one entry, located. */
export interface EntryData {
  readonly file: TreeEntry;
  readonly range: DataRange;
  /** Bytes of the zip by absolute position; valid until the next call. */
  readonly peek: (position: number, length: number) => Buffer;
  /** The same in memory of its own. */
  readonly read: (position: number, length: number) => Buffer;
}

/** Up to these sizes a file goes through in one step: a few milliseconds and megabytes at most. */
const SMALL_COMPRESSED = 512 * 1024;
const SMALL_UNPACKED = 2 * 1024 * 1024;

/** Data that comes without compression is given the cheapest kind; below this many bytes it is not worth a compressor. */
const RECOMPRESS_LEVEL = 1;
const RECOMPRESS_FROM = 256;
const SAMPLE_BYTES = 64 * 1024;
const WORTHWHILE = 0.95;

/** zlib's least buffer. */
const SPARE_BYTES = 64;

/** Large files pass through in pieces of this size. */
const PIECE_BYTES = 128 * 1024;

/**
 * Verifies the data of an entry — a DEFLATE stream that ends exactly where it should, the size and the CRC-32 that were
 * declared — and writes it to the context, its DEFLATE stream as it is.
 *
 * @returns the SHA-256 of the content, in hex.
 * @throws SlessError `InvalidArchive` naming the entry
 */
export async function writeEntryData(data: EntryData, output: ContextOutput): Promise<string> {
  const { entry } = data.file;
  const isSmall = entry.compressedSize <= SMALL_COMPRESSED && entry.uncompressedSize <= SMALL_UNPACKED;
  return isSmall ? writeSmall(data, output) : await writeLarge(data, output);
}

/**
 * The content of an entry that is small, verified as by `writeEntryData`. Valid until the zip is peeked into again.
 *
 * @throws SlessError `InvalidArchive` naming the entry
 */
export function readSmallEntry({ file, range, peek }: EntryData): Buffer {
  const { entry } = file;
  const packed = peek(range.start, entry.compressedSize);
  const content = isStored(entry) ? packed : inflate(file, packed);
  if (crc32(content) !== entry.crc32) throw wrongChecksum(file);
  return content;
}

function writeSmall(data: EntryData, output: ContextOutput): string {
  const { entry } = data.file;
  const content = readSmallEntry(data);
  const sha256 = hash('sha256', content, 'hex');
  if (content.length === 0) return sha256;
  if (isStored(entry) && content.length < RECOMPRESS_FROM) {
    output.store(content);
  } else {
    const member = output.splice();
    member.write(
      isStored(entry)
        ? deflateRawSync(content, { level: RECOMPRESS_LEVEL })
        : data.peek(data.range.start, entry.compressedSize),
    );
    member.end({ crc: entry.crc32, size: content.length });
  }
  if (!isStored(entry)) release(content);
  return sha256;
}

function inflate(file: TreeEntry, packed: Buffer): Buffer {
  const size = file.entry.uncompressedSize;
  try {
    // `info` changes what is returned, which the types do not know; `bytesWritten` counts the input that was used.
    const { buffer, engine } = inflateRawSync(packed, {
      info: true,
      maxOutputLength: Math.max(size, 1),
      // More than the declared size: with none to spare zlib would ask for a second buffer.
      chunkSize: ownedBytes(size + SPARE_BYTES),
    }) as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
    checkLengths(file, { unpacked: buffer.length, used: engine.bytesWritten });
    return buffer;
  } catch (error) {
    throw translate(file, error);
  }
}

async function writeLarge(data: EntryData, output: ContextOutput): Promise<string> {
  return isStored(data.file.entry) ? await recompressLarge(data, output) : await spliceLarge(data, output);
}

/** The content on its way through: what is known of it at its end. */
function contentMeter(file: TreeEntry): { add(piece: Buffer): void; end(): string } {
  const sha256 = createHash('sha256');
  let crc = 0;
  let size = 0;
  return {
    add(piece) {
      size += piece.length;
      if (size > file.entry.uncompressedSize) throw tooLong(file);
      crc = crc32(piece, crc);
      sha256.update(piece);
    },
    end() {
      if (size !== file.entry.uncompressedSize) throw tooShort(file, size);
      if (crc !== file.entry.crc32) throw wrongChecksum(file);
      return sha256.digest('hex');
    },
  };
}

async function spliceLarge(data: EntryData, output: ContextOutput): Promise<string> {
  const { file } = data;
  const { crc32: crc, uncompressedSize: size } = file.entry;
  const member = output.splice();
  const meter = contentMeter(file);
  const engine = createInflateRaw({ chunkSize: PIECE_BYTES });
  try {
    for await (const piece of through(tap(pieces(data), member.write), engine)) meter.add(piece);
  } catch (error) {
    throw translate(file, error);
  }
  checkLengths(file, { unpacked: size, used: engine.bytesWritten });
  const sha256 = meter.end();
  member.end({ crc, size });
  return sha256;
}

async function recompressLarge(data: EntryData, output: ContextOutput): Promise<string> {
  const { crc32: crc, uncompressedSize: size } = data.file.entry;
  const meter = contentMeter(data.file);
  const source = tap(pieces(data), meter.add);
  if (!isCompressible(data.peek(data.range.start, SAMPLE_BYTES))) {
    for (const piece of source) {
      output.store(piece);
      release(piece);
    }
    return meter.end();
  }
  const member = output.splice();
  const engine = createDeflateRaw({ level: RECOMPRESS_LEVEL, chunkSize: PIECE_BYTES });
  for await (const piece of through(source, engine)) member.write(piece);
  const sha256 = meter.end();
  member.end({ crc, size });
  return sha256;
}

/** What zip leaves uncompressed is mostly compressed already: pictures, archives. */
function isCompressible(sample: Buffer): boolean {
  return deflateRawSync(sample, { level: RECOMPRESS_LEVEL }).length < sample.length * WORTHWHILE;
}

function* pieces({ range, read }: EntryData): Generator<Buffer> {
  for (let at = range.start; at < range.end; at += PIECE_BYTES)
    yield read(at, Math.min(PIECE_BYTES, range.end - at));
}

function* tap(source: Iterable<Buffer>, look: (piece: Buffer) => void): Generator<Buffer> {
  for (const piece of source) {
    look(piece);
    yield piece;
  }
}

function checkLengths(file: TreeEntry, found: { unpacked: number; used: number }): void {
  if (found.unpacked !== file.entry.uncompressedSize) throw tooShort(file, found.unpacked);
  if (found.used !== file.entry.compressedSize)
    throw refuseEntry(file.name, 'has bytes after the end of its compressed data; zip it again');
}

function tooShort(file: TreeEntry, size: number): Error {
  return refuseEntry(
    file.name,
    `declares ${file.entry.uncompressedSize} bytes and holds ${size}; it is damaged, zip it again`,
  );
}

function tooLong(file: TreeEntry): Error {
  return refuseEntry(
    file.name,
    `declares ${file.entry.uncompressedSize} bytes and holds more; it is damaged, zip it again`,
  );
}

function wrongChecksum(file: TreeEntry): Error {
  return refuseEntry(file.name, 'does not match its checksum (CRC-32); it is damaged, zip it again');
}

/** zlib's errors, by their codes. Anything else passes. */
function translate(file: TreeEntry, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ERR_BUFFER_TOO_LARGE') return tooLong(file);
  if (code === 'Z_DATA_ERROR' || code === 'Z_BUF_ERROR' || code === 'Z_NEED_DICT')
    return refuseEntry(file.name, 'holds compressed data that is damaged; zip it again', { cause: error });
  return error;
}
