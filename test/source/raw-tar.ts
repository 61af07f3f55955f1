import { gzipSync } from 'node:zlib';

export interface RawTarEntry {
  readonly name: string;
  readonly content?: string | Buffer;
  /** '0' is a regular file. */
  readonly type?: string;
  readonly mode?: number;
  /** What the header says instead of the truth. */
  readonly size?: number;
  readonly link?: string;
}

/** Builds a tar.gz as told, without asking whether it makes sense. */
export function rawTarGz(entries: readonly RawTarEntry[]): Buffer {
  return gzipSync(Buffer.concat([...entries.flatMap(entryBytes), Buffer.alloc(1024)]));
}

function entryBytes(entry: RawTarEntry): Buffer[] {
  const content = Buffer.from(entry.content ?? '');
  const header = Buffer.alloc(512);
  header.write(entry.name, 0);
  header.write((entry.mode ?? 0o644).toString(8).padStart(7, '0'), 100);
  header.write('0000000', 108);
  header.write('0000000', 116);
  header.write((entry.size ?? content.length).toString(8).padStart(11, '0'), 124);
  header.write('00000000000', 136);
  header.fill(' ', 148, 156);
  header.write(entry.type ?? '0', 156);
  header.write(entry.link ?? '', 157);
  header.write('ustar\u000000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
}
