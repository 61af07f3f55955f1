import type { Transform } from 'node:stream';

/**
 * Gives the memory of bytes that nobody needs any more back at once. Thousands of inflated files would otherwise lie
 * about until the next garbage collection, up to 100 MB. Bytes that share a slab with others stay.
 */
export function release(bytes: Buffer): void {
  const memory = bytes.buffer;
  const isShared = bytes.byteOffset !== 0 || memory.byteLength <= Buffer.poolSize;
  if (!isShared && memory instanceof ArrayBuffer) memory.transfer(0);
}

/** A size of buffer, at least `bytes`, that shares no slab. */
export function ownedBytes(bytes: number): number {
  return Math.max(bytes, Buffer.poolSize + 1);
}

/**
 * Sends pieces through a compressor or decompressor, one at a time, and gives back the memory of both sides. A piece is
 * valid until the next one is asked for. Not a `pipeline`: that waits for all input to be taken, and DEFLATE may end
 * before its input does.
 */
export async function* through(source: Iterable<Buffer>, engine: Transform): AsyncGenerator<Buffer> {
  // Not awaited: of a write that an engine breaks or ends in, nobody ever hears again.
  void feed(source, engine);
  try {
    for await (const piece of engine as AsyncIterable<Buffer>) {
      yield piece;
      // The engine goes on to fill what is left of a buffer.
      if (piece.length === piece.buffer.byteLength) release(piece);
    }
  } finally {
    engine.destroy();
  }
}

async function feed(source: Iterable<Buffer>, engine: Transform): Promise<void> {
  try {
    for (const piece of source) {
      if (!(await taken(engine, piece))) return;
      release(piece);
    }
    engine.end();
  } catch (error) {
    engine.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

function taken(engine: Transform, piece: Buffer): Promise<boolean> {
  return new Promise((resolve) => engine.write(piece, (error) => resolve(!error)));
}
