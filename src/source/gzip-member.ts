import { crc32 } from 'node:zlib';

/**
 * A gzip file is members one after another (RFC 1952, 2.2), each a header, a raw DEFLATE stream and a trailer. A zip
 * keeps the same DEFLATE streams, so a file's compressed bytes become a member as they are.
 */
export const MEMBER_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

/** What follows the DEFLATE stream: CRC-32 and length of what it holds. */
export function memberTrailer(crc: number, size: number): Buffer {
  const trailer = Buffer.allocUnsafe(8);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(size, 4);
  return trailer;
}

/** A stored block says its length in 16 bits (RFC 1951, 3.2.4). */
const MAX_BLOCK = 0xffff;

/** The parts of a member that holds `content` without compression: for tar headers, where a compressor costs more than it saves. */
export function storedMember(content: Buffer): Buffer[] {
  const parts: Buffer[] = [MEMBER_HEADER];
  for (let at = 0; at === 0 || at < content.length; at += MAX_BLOCK) {
    const piece = content.subarray(at, at + MAX_BLOCK);
    parts.push(storedBlockHeader(piece.length, at + MAX_BLOCK >= content.length), piece);
  }
  parts.push(memberTrailer(crc32(content), content.length));
  return parts;
}

function storedBlockHeader(length: number, isLast: boolean): Buffer {
  const header = Buffer.allocUnsafe(5);
  header.writeUInt8(isLast ? 1 : 0, 0);
  header.writeUInt16LE(length, 1);
  header.writeUInt16LE(length ^ MAX_BLOCK, 3);
  return header;
}
