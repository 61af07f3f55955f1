import type { FileHandle } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { extract } from 'tar-stream';
import { z } from 'zod';
import { SlessError } from '../errors.ts';

const MANIFEST = 'manifest.json';
/** Of an image that is pushed it names layers and a configuration. */
const MAX_MANIFEST_BYTES = 1024 * 1024;
const manifestSchema = z.array(z.object({ Layers: z.array(z.string()) }));

/** How layers may be packed, by how they begin; every other one lies there as it is. */
const PACKINGS = [
  { magic: Buffer.from([0x1f, 0x8b]), unpack: createGunzip },
  { magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), unpack: createZstdDecompress },
] as const;

/**
 * Makes sure that the layers of an image, as `docker save` writes one, are not larger than this when a node unpacks them. What a build may keep on
 * disk bounds them only packed: whoever writes that file instead of the builder could put a few megabytes there that fill every node.
 *
 * @throws SlessError `ImageTooLarge`; `BuildFailed` when it is no such image
 */
export async function checkUnpackedSize(file: FileHandle, most: number): Promise<void> {
  const counted = new Map<string, number>();
  let manifest = '';
  const entries = extract();
  const reading = pipeline(file.createReadStream({ start: 0, autoClose: false }), entries);
  // Its failure is thrown by the entries, too.
  reading.catch(() => undefined);
  try {
    for await (const entry of entries) {
      const { name, type } = entry.header;
      // Their type is not exported: streams of bytes.
      const bytes = entry as AsyncIterable<Buffer>;
      if (name === MANIFEST) manifest = await shortText(bytes);
      // Of the same name the larger one: which one counts is the reader's to say.
      else if (type === 'file')
        counted.set(name, Math.max(counted.get(name) ?? 0, await sizeOf(bytes, most)));
      else entry.resume();
    }
    await reading;
  } catch (error) {
    throw error instanceof SlessError ? error : noImage(error);
  }
  // A layer that is named twice is unpacked twice.
  const total = layersIn(manifest).reduce((sum, name) => sum + (counted.get(name) ?? Number.NaN), 0);
  if (Number.isNaN(total)) throw noImage(new Error('a layer is absent'));
  if (total > most) throw tooLarge(most);
}

async function sizeOf(entry: AsyncIterable<Buffer>, most: number): Promise<number> {
  let unpacked = 0;
  const count = new Writable({
    write(piece: Buffer, _, done) {
      unpacked += piece.length;
      done(unpacked > most ? tooLarge(most) : null);
    },
  });
  const { start, whole } = await peeked(entry);
  const packing = PACKINGS.find(({ magic }) => start.subarray(0, magic.length).equals(magic));
  await (packing === undefined ? pipeline(whole, count) : pipeline(whole, packing.unpack(), count));
  return unpacked;
}

const LONGEST_MAGIC = 4;

/** How it begins, and all of it. */
async function peeked(
  entry: AsyncIterable<Buffer>,
): Promise<{ readonly start: Buffer; readonly whole: AsyncIterable<Buffer> }> {
  const pieces = entry[Symbol.asyncIterator]();
  let start: Buffer = Buffer.alloc(0);
  while (start.length < LONGEST_MAGIC) {
    const { done, value } = await pieces.next();
    if (done === true) break;
    start = Buffer.concat([start, value]);
  }
  const whole = async function* () {
    yield start;
    yield* { [Symbol.asyncIterator]: () => pieces };
  };
  return { start, whole: whole() };
}

async function shortText(entry: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of entry) {
    size += piece.length;
    if (size > MAX_MANIFEST_BYTES) throw new Error(`${MANIFEST} is too long`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function layersIn(manifest: string): string[] {
  try {
    return manifestSchema.parse(JSON.parse(manifest)).flatMap(({ Layers }) => Layers);
  } catch (error) {
    throw noImage(error);
  }
}

const GIBIBYTE = 1024 ** 3;

const tooLarge = (most: number): SlessError =>
  new SlessError(
    'ImageTooLarge',
    `the image has more than ${Math.round(most / GIBIBYTE)} GiB when it is unpacked`,
  );

const noImage = (cause: unknown): SlessError =>
  new SlessError('BuildFailed', 'the build left a file that is no image', { cause });
