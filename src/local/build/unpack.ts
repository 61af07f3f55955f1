import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Header } from 'tar-stream';

/** The code lies under it in a context; all else there (the Dockerfile) is not for us. */
const CODE = 'function/';

/**
 * Unpacks the code of a build context into a folder that exists, verifying as it goes that nothing leaves it: an s3Key
 * may name an object that no upload of ours has made.
 *
 * @returns the SHA-256 of the tar.gz, in hex
 * @throws Error naming the entry that cannot be taken, or for what is no tar.gz
 */
export async function unpackContext(context: Readable, folder: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  const hashed = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  const entries = extract();
  const read = pipeline(context, hashed, createGunzip(), entries, { signal });
  const [reading, writing] = await Promise.allSettled([read, writeEntries(entries, folder)]);
  if (writing.status === 'rejected') throw writing.reason;
  if (reading.status === 'rejected') throw reading.reason;
  return hash.digest('hex');
}

async function writeEntries(entries: ReturnType<typeof extract>, folder: string): Promise<void> {
  const made = new Set<string>();
  for await (const entry of entries) {
    const { name, type, mode } = entry.header;
    if (name.startsWith(CODE) && type === 'file') {
      const target = join(folder, ...segmentsOf(entry.header));
      await makeFolder(dirname(target), made);
      await pipeline(entry, createWriteStream(target, { flags: 'wx', mode: modeOf(mode), flush: true }));
    } else {
      if (type !== 'file' && type !== 'directory')
        throw new Error(`${name}: a ${type} has no place in a context`);
      entry.resume();
    }
  }
}

const modeOf = (mode: number | undefined): number => (((mode ?? 0) & 0o100) === 0 ? 0o644 : 0o755);

function segmentsOf({ name }: Header): string[] {
  const segments = name.slice(CODE.length).split('/');
  if (
    segments.some(
      (segment) => segment === '' || segment === '.' || segment === '..' || segment.includes('\0'),
    )
  ) {
    throw new Error(`${name}: no entry may leave the folder`);
  }
  return segments;
}

async function makeFolder(folder: string, made: Set<string>): Promise<void> {
  if (made.has(folder)) return;
  await mkdir(folder, { recursive: true });
  made.add(folder);
}
