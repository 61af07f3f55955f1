import { randomBytes } from 'node:crypto';
import type { ApiUpload } from './api-types.ts';
import type { Client } from './client.ts';
import type { World } from './world.ts';

const PIECE = 64 * 1024;

/** Sends a zip, with a bar where somebody looks. */
export async function uploadZip(
  client: Client,
  world: Pick<World, 'stderr'>,
  { name, bytes }: { readonly name: string; readonly bytes: Uint8Array },
): Promise<ApiUpload> {
  const boundary = `sless${randomBytes(12).toString('hex')}`;
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="code"; filename="code.zip"\r\ncontent-type: application/zip\r\n\r\n`;
  const tail = `\r\n--${boundary}--\r\n`;
  const bar = progressBar(world.stderr, bytes.length);
  const body = () => ({
    type: `multipart/form-data; boundary=${boundary}`,
    stream: ReadableStream.from(pieces(head, bytes, { tail, sent: bar.show })),
  });
  try {
    return await client.ask<ApiUpload>('POST', `/functions/${name}/upload`, { body });
  } finally {
    bar.close();
  }
}

async function* pieces(
  head: string,
  bytes: Uint8Array,
  { tail, sent }: { readonly tail: string; readonly sent: (size: number) => void },
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(head);
  for (let at = 0; at < bytes.length; at += PIECE) {
    yield bytes.subarray(at, at + PIECE);
    sent(Math.min(at + PIECE, bytes.length));
  }
  yield Buffer.from(tail);
}

const BAR_WIDTH = 30;

/** A bar on a terminal; nothing at all anywhere else. */
function progressBar(stderr: World['stderr'], total: number): { show(sent: number): void; close(): void } {
  if (stderr.isTTY !== true) return { show: () => {}, close: () => {} };
  return {
    show: (sent) => {
      const full = Math.round((BAR_WIDTH * sent) / total);
      const percent = `${Math.floor((100 * sent) / total)}`.padStart(3);
      stderr.write(`\r[${'#'.repeat(full)}${'.'.repeat(BAR_WIDTH - full)}] ${percent} %`);
    },
    close: () => void stderr.write('\r\u001b[K'),
  };
}
