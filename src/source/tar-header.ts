import { FIXED_MTIME_SECONDS } from './limits.ts';

/** Everything in a tar comes in blocks of 512 bytes. */
export const TAR_BLOCK = 512;

export interface TarFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly executable: boolean;
}

const FILE = '0';
const FOLDER = '5';
const PAX = 'x';
const NAME_BYTES = 100;
const PLAIN_NAME = /^[\x20-\x7e]{1,100}$/;

/**
 * The header of a regular file in the ustar format (POSIX.1-1988), preceded by a pax header (POSIX.1-2001) where the
 * name is longer than 100 bytes or not ASCII. Owner root, a fixed date, 0644 or 0755.
 */
export function tarFileHeader(file: TarFile): Buffer {
  return entryHeader({ name: file.path, size: file.size, mode: file.executable ? 0o755 : 0o644, type: FILE });
}

/** The header of a folder, 0755; its path ends in a slash. */
export function tarFolderHeader(path: string): Buffer {
  return entryHeader({ name: path, size: 0, mode: 0o755, type: FOLDER });
}

function entryHeader(fields: HeaderFields): Buffer {
  return PLAIN_NAME.test(fields.name)
    ? block(fields)
    : Buffer.concat([paxHeader(fields.name), block(fields)]);
}

/** Zero bytes that fill up the last block of a file. */
export function tarPadding(size: number): number {
  return (TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK;
}

/** Two empty blocks end an archive. */
export const TAR_END_BYTES = 2 * TAR_BLOCK;

function paxHeader(path: string): Buffer {
  const record = paxRecord('path', path);
  const header = block({ name: 'PaxHeader', size: record.length, mode: 0o644, type: PAX });
  return Buffer.concat([header, record, Buffer.alloc(tarPadding(record.length))]);
}

/** `<length> <key>=<value>\n`, where the length counts its own digits. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.from(` ${key}=${value}\n`);
  let length = rest.length;
  while (length !== rest.length + String(length).length) length = rest.length + String(length).length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

interface HeaderFields {
  readonly name: string;
  readonly size: number;
  readonly mode: number;
  readonly type: string;
}

function block({ name, size, mode, type }: HeaderFields): Buffer {
  const header = Buffer.alloc(TAR_BLOCK);
  Buffer.from(name).copy(header, 0, 0, NAME_BYTES);
  writeOctal(header, mode, { at: 100, digits: 7 });
  writeOctal(header, 0, { at: 108, digits: 7 });
  writeOctal(header, 0, { at: 116, digits: 7 });
  writeOctal(header, size, { at: 124, digits: 11 });
  writeOctal(header, FIXED_MTIME_SECONDS, { at: 136, digits: 11 });
  header.fill(' ', 148, 156);
  header.write(type, 156, 'latin1');
  header.write('ustar\0' + '00', 257, 'latin1');
  // The checksum counts its own field as spaces, and ends in a NUL and a space.
  let sum = 0;
  for (const byte of header) sum += byte;
  writeOctal(header, sum, { at: 148, digits: 6 });
  header[154] = 0;
  return header;
}

function writeOctal(header: Buffer, value: number, field: { at: number; digits: number }): void {
  header.write(value.toString(8).padStart(field.digits, '0'), field.at, 'latin1');
}
