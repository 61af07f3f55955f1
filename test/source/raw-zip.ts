import { crc32, deflateRawSync } from 'node:zlib';

/** An entry of a zip, every field of which can be made to lie. */
export interface RawEntry {
  readonly name: string | Buffer;
  readonly content?: string | Buffer;
  /** 8 (DEFLATE) unless said otherwise. */
  readonly method?: number;
  /** 0x0800 (UTF-8) is not set by itself. */
  readonly flags?: number;
  /** A Unix mode with its file type; 0 as Windows writes it. */
  readonly mode?: number;
  readonly madeBy?: number;
  /** Bytes in place of the compressed content. */
  readonly packed?: Buffer;
  readonly extra?: Buffer;
  /** What the central directory says instead of the truth. */
  readonly crc?: number;
  readonly size?: number;
  readonly packedSize?: number;
  readonly offset?: number;
  /** DOS date and time. */
  readonly date?: number;
  readonly time?: number;
  /** What the local header says instead. */
  readonly local?: {
    readonly name?: string | Buffer;
    readonly method?: number;
    readonly flags?: number;
    readonly crc?: number;
    readonly size?: number;
    readonly packedSize?: number;
    readonly extra?: Buffer;
    readonly signature?: number;
  };
  /** Bytes after the data. */
  readonly after?: Buffer;
}

export interface RawZipOptions {
  /** Bytes before the first header; offsets count them unless `shifted`. */
  readonly prefix?: Buffer;
  readonly shifted?: boolean;
  readonly comment?: string;
  readonly trailing?: Buffer;
  /** Lies of the end record. */
  readonly count?: number;
  readonly directorySize?: number;
  readonly directoryOffset?: number;
  readonly disk?: number;
  /** Writes a zip64 end record and locator, and 0xffff… in the old one. */
  readonly zip64?: boolean;
  /** Bytes between the last entry and the central directory. */
  readonly gap?: Buffer;
}

/** Builds the bytes of a zip as told, without asking whether they make sense. */
export function rawZip(entries: readonly RawEntry[], options: RawZipOptions = {}): Buffer {
  const parts: Buffer[] = [options.prefix ?? Buffer.alloc(0)];
  const headers: Buffer[] = [];
  let at = options.shifted === true ? 0 : (parts[0]?.length ?? 0);
  for (const entry of entries) {
    const packed = packedOf(entry);
    const local = localHeader(entry, packed);
    headers.push(centralHeader(entry, packed, entry.offset ?? at));
    const block = Buffer.concat([local, packed, entry.after ?? Buffer.alloc(0)]);
    parts.push(block);
    at += block.length;
  }
  const gap = options.gap ?? Buffer.alloc(0);
  const directory = Buffer.concat(headers);
  const end = endRecords(entries.length, { start: at + gap.length, size: directory.length }, options);
  return Buffer.concat([...parts, gap, directory, ...end, options.trailing ?? Buffer.alloc(0)]);
}

/** A data descriptor, signed or not, with sizes of 4 or 8 bytes. */
export function descriptor(entry: RawEntry, form: { signed?: boolean; long?: boolean } = {}): Buffer {
  const { crc, size, packedSize } = truth(entry, packedOf(entry));
  const bytes = Buffer.alloc(form.long === true ? 20 : 12);
  bytes.writeUInt32LE(crc, 0);
  if (form.long === true) {
    bytes.writeBigUInt64LE(BigInt(packedSize), 4);
    bytes.writeBigUInt64LE(BigInt(size), 12);
  } else {
    bytes.writeUInt32LE(packedSize, 4);
    bytes.writeUInt32LE(size, 8);
  }
  return form.signed === false ? bytes : Buffer.concat([Buffer.from('PK\x07\x08', 'latin1'), bytes]);
}

/** An entry whose sizes stand only after its data, as writers to a pipe leave it. */
export function streamed(entry: RawEntry, form: { signed?: boolean; long?: boolean } = {}): RawEntry {
  const flags = (entry.flags ?? 0) | 0x0008;
  return { ...entry, flags, local: { crc: 0, size: 0, packedSize: 0 }, after: descriptor(entry, form) };
}

/** An extra field. */
export function extraField(id: number, data: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(id, 0);
  head.writeUInt16LE(data.length, 2);
  return Buffer.concat([head, data]);
}

/** An entry whose sizes and offset stand in zip64 fields. */
export function zip64Entry(entry: RawEntry, offset: number): RawEntry {
  const { size, packedSize } = truth(entry, packedOf(entry));
  const longs = (...values: number[]): Buffer => {
    const bytes = Buffer.alloc(values.length * 8);
    values.forEach((value, index) => void bytes.writeBigUInt64LE(BigInt(value), index * 8));
    return extraField(1, bytes);
  };
  const hidden = { size: 0xffffffff, packedSize: 0xffffffff };
  return {
    ...entry,
    ...hidden,
    packed: packedOf(entry),
    crc: truth(entry, packedOf(entry)).crc,
    offset: 0xffffffff,
    extra: longs(size, packedSize, offset),
    local: { ...hidden, extra: longs(size, packedSize) },
  };
}

function contentOf(entry: RawEntry): Buffer {
  return Buffer.isBuffer(entry.content) ? entry.content : Buffer.from(entry.content ?? '');
}

function packedOf(entry: RawEntry): Buffer {
  if (entry.packed !== undefined) return entry.packed;
  return (entry.method ?? 8) === 8 ? deflateRawSync(contentOf(entry)) : contentOf(entry);
}

function truth(entry: RawEntry, packed: Buffer): { crc: number; size: number; packedSize: number } {
  const content = contentOf(entry);
  return { crc: crc32(content), size: content.length, packedSize: packed.length };
}

function nameOf(name: string | Buffer): Buffer {
  return Buffer.isBuffer(name) ? name : Buffer.from(name);
}

function localHeader(entry: RawEntry, packed: Buffer): Buffer {
  const { local = {} } = entry;
  const real = truth(entry, packed);
  const name = nameOf(local.name ?? entry.name);
  const extra = local.extra ?? Buffer.alloc(0);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(local.signature ?? 0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(local.flags ?? entry.flags ?? 0, 6);
  header.writeUInt16LE(local.method ?? entry.method ?? 8, 8);
  header.writeUInt16LE(entry.time ?? 0, 10);
  header.writeUInt16LE(entry.date ?? 0x21, 12);
  header.writeUInt32LE(local.crc ?? entry.crc ?? real.crc, 14);
  header.writeUInt32LE(local.packedSize ?? entry.packedSize ?? real.packedSize, 18);
  header.writeUInt32LE(local.size ?? entry.size ?? real.size, 22);
  header.writeUInt16LE(name.length, 26);
  header.writeUInt16LE(extra.length, 28);
  return Buffer.concat([header, name, extra]);
}

function centralHeader(entry: RawEntry, packed: Buffer, offset: number): Buffer {
  const real = truth(entry, packed);
  const name = nameOf(entry.name);
  const extra = entry.extra ?? Buffer.alloc(0);
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(entry.madeBy ?? 0x031e, 4);
  header.writeUInt16LE(20, 6);
  header.writeUInt16LE(entry.flags ?? 0, 8);
  header.writeUInt16LE(entry.method ?? 8, 10);
  header.writeUInt16LE(entry.time ?? 0, 12);
  header.writeUInt16LE(entry.date ?? 0x21, 14);
  header.writeUInt32LE(entry.crc ?? real.crc, 16);
  header.writeUInt32LE(entry.packedSize ?? real.packedSize, 20);
  header.writeUInt32LE(entry.size ?? real.size, 24);
  header.writeUInt16LE(name.length, 28);
  header.writeUInt16LE(extra.length, 30);
  header.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 38);
  header.writeUInt32LE(offset, 42);
  return Buffer.concat([header, name, extra]);
}

function endRecords(
  count: number,
  directory: { start: number; size: number },
  options: RawZipOptions,
): Buffer[] {
  const comment = Buffer.from(options.comment ?? '');
  const zip64 = options.zip64 === true;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(options.disk ?? 0, 4);
  end.writeUInt16LE(zip64 ? 0xffff : (options.count ?? count) & 0xffff, 8);
  end.writeUInt16LE(zip64 ? 0xffff : (options.count ?? count) & 0xffff, 10);
  end.writeUInt32LE(zip64 ? 0xffffffff : (options.directorySize ?? directory.size), 12);
  end.writeUInt32LE(zip64 ? 0xffffffff : (options.directoryOffset ?? directory.start), 16);
  end.writeUInt16LE(comment.length, 20);
  if (!zip64) return [end, comment];
  const long = Buffer.alloc(56);
  long.writeUInt32LE(0x06064b50, 0);
  long.writeBigUInt64LE(44n, 4);
  long.writeBigUInt64LE(BigInt(options.count ?? count), 24);
  long.writeBigUInt64LE(BigInt(options.count ?? count), 32);
  long.writeBigUInt64LE(BigInt(options.directorySize ?? directory.size), 40);
  long.writeBigUInt64LE(BigInt(options.directoryOffset ?? directory.start), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(directory.start + directory.size), 8);
  locator.writeUInt32LE(1, 16);
  return [long, locator, end, comment];
}
