import type { Entry } from 'yauzl';

/** Where an entry's data lies in the zip. */
export interface DataRange {
  readonly start: number;
  readonly end: number;
}

const SIGNATURE = 0x04034b50;
const FIXED_SIZE = 30;
const DESCRIPTOR_SIGNATURE = 0x08074b50;
const ENCRYPTED = 0x0001;
const HAS_DESCRIPTOR = 0x0008;
const ZIP64_FIELD = 0x0001;
const IN_ZIP64 = 0xffffffff;
/** With its optional signature and sizes of 8 bytes. */
const LONGEST_DESCRIPTOR = 24;

/** The bytes an entry has to itself: from its local header to the next one, or to the central directory. */
export interface EntryRoom {
  readonly entry: Entry;
  /** The absolute end of the room. */
  readonly end: number;
  /** Bytes of the file by absolute position, cut at the file's end. */
  readonly peek: (position: number, length: number) => Buffer;
}

/**
 * Finds the data of an entry, and holds its local header and data descriptor against the central directory. Readers
 * that trust the one must see the same file as those that trust the other.
 *
 * @returns the range, or what is wrong in words that follow the entry's name.
 */
export function locateData(room: EntryRoom): DataRange | string {
  const { entry, end, peek } = room;
  const offset = entry.relativeOffsetOfLocalHeader;
  const fixed = peek(offset, FIXED_SIZE);
  if (fixed.length < FIXED_SIZE || fixed.readUInt32LE(0) !== SIGNATURE)
    return 'is not where the central directory says; zip it again';
  const start = offset + FIXED_SIZE + fixed.readUInt16LE(26) + fixed.readUInt16LE(28);
  const range = { start, end: start + entry.compressedSize };
  if (range.end > end) return 'overlaps another entry or the central directory; zip it again';
  const header = peek(offset, start - offset);
  if (!agrees(entry, header))
    return 'differs between its local header and the central directory; zip it again';
  if (
    hasDescriptor(entry) &&
    !descriptorAgrees(entry, peek(range.end, Math.min(LONGEST_DESCRIPTOR, end - range.end)))
  )
    return 'has a data descriptor that differs from the central directory; zip it again';
  return range;
}

function hasDescriptor(entry: Entry): boolean {
  return (entry.generalPurposeBitFlag & HAS_DESCRIPTOR) !== 0 && !isFolderName(entry.fileNameRaw);
}

/** Some writers flag folders and write no descriptor for them. They carry nothing that it could be wrong about. */
function isFolderName(name: Buffer): boolean {
  const last = name.at(-1);
  return last === 0x2f || last === 0x5c;
}

function agrees(entry: Entry, header: Buffer): boolean {
  const flags = header.readUInt16LE(6);
  const sameFlags = ((flags ^ entry.generalPurposeBitFlag) & (ENCRYPTED | HAS_DESCRIPTOR)) === 0;
  const nameEnd = FIXED_SIZE + header.readUInt16LE(26);
  const sameName = header.subarray(FIXED_SIZE, nameEnd).equals(entry.fileNameRaw);
  const sameMethod = header.readUInt16LE(8) === entry.compressionMethod;
  return sameFlags && sameName && sameMethod && sizesAgree(entry, header, header.subarray(nameEnd));
}

function sizesAgree(entry: Entry, header: Buffer, extra: Buffer): boolean {
  const crc = header.readUInt32LE(14);
  const sizes = localSizes(header, extra);
  if (sizes === undefined) return false;
  const same =
    crc === entry.crc32 && sizes.compressed === entry.compressedSize && sizes.size === entry.uncompressedSize;
  if (same) return true;
  // With a descriptor the three come after the data, and the header may leave each of them 0.
  const mayBeZero = (entry.generalPurposeBitFlag & HAS_DESCRIPTOR) !== 0;
  const zeroOr = (found: number, wanted: number): boolean => found === wanted || found === 0;
  return (
    mayBeZero &&
    zeroOr(crc, entry.crc32) &&
    zeroOr(sizes.compressed, entry.compressedSize) &&
    zeroOr(sizes.size, entry.uncompressedSize)
  );
}

/** The header's own sizes, or those of its zip64 field, in which the original size comes first. */
function localSizes(header: Buffer, extra: Buffer): { compressed: number; size: number } | undefined {
  const compressed = header.readUInt32LE(18);
  const size = header.readUInt32LE(22);
  if (compressed !== IN_ZIP64 && size !== IN_ZIP64) return { compressed, size };
  const field = findExtra(extra, ZIP64_FIELD);
  const wanted = [size, compressed].filter((value) => value === IN_ZIP64).length;
  if (field === undefined || field.length < wanted * 8) return undefined;
  const longSize = size === IN_ZIP64 ? Number(field.readBigUInt64LE(0)) : size;
  return {
    size: longSize,
    compressed: compressed === IN_ZIP64 ? Number(field.readBigUInt64LE((wanted - 1) * 8)) : compressed,
  };
}

function findExtra(extra: Buffer, id: number): Buffer | undefined {
  for (let at = 0; at + 4 <= extra.length; ) {
    const end = at + 4 + extra.readUInt16LE(at + 2);
    if (end > extra.length) return undefined;
    if (extra.readUInt16LE(at) === id) return extra.subarray(at + 4, end);
    at = end;
  }
  return undefined;
}

/** Four forms are in use: with or without a signature, with sizes of 4 or 8 bytes. One of them must say the same. */
function descriptorAgrees(entry: Entry, bytes: Buffer): boolean {
  const signed = bytes.length >= 4 && bytes.readUInt32LE(0) === DESCRIPTOR_SIGNATURE;
  const bodies = signed ? [bytes, bytes.subarray(4)] : [bytes];
  return bodies.some(
    (body) => body.length >= 12 && body.readUInt32LE(0) === entry.crc32 && tailAgrees(entry, body),
  );
}

function tailAgrees(entry: Entry, body: Buffer): boolean {
  const short =
    body.readUInt32LE(4) === entry.compressedSize && body.readUInt32LE(8) === entry.uncompressedSize;
  const long =
    body.length >= 20 &&
    Number(body.readBigUInt64LE(4)) === entry.compressedSize &&
    Number(body.readBigUInt64LE(12)) === entry.uncompressedSize;
  return short || long;
}
