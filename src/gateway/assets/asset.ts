import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Context, Env } from 'hono';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

/** A file as browsers get it: plain, or compressed to those who take that. */
export interface Asset {
  readonly type: string;
  readonly plain: Buffer<ArrayBuffer>;
  readonly zipped: Buffer<ArrayBuffer>;
}

/** @param name with the ending that says its type */
export function createAsset(name: string, bytes: Buffer): Asset {
  const plain = Buffer.from(bytes);
  return { type: TYPES[extname(name)] ?? 'application/octet-stream', plain, zipped: gzipSync(plain) };
}

const packaged = createRequire(import.meta.url);

/** A file of a library, as it was published. Found by hand: it is not run, and not every package exports what browsers need. */
export function readPackaged(library: string, path: string): Buffer {
  const folders = packaged.resolve.paths(library) ?? [];
  const found = folders.map((folder) => join(folder, library, path)).find((file) => existsSync(file));
  if (found === undefined) throw new Error(`${library} is not installed: ${path} is missing`);
  return readFileSync(found);
}

/** A word for addresses that changes with any of these files, so that browsers may keep them for good. */
export function versionOf(assets: Iterable<Asset>): string {
  const digest = createHash('sha256');
  for (const { plain } of assets) digest.update(plain);
  return digest.digest('hex').slice(0, 12);
}

/** For `cache-control`: a year, where the address is another one when the content is. */
export const FOR_GOOD = 'public, max-age=31536000, immutable';

export function sendAsset<E extends Env>(
  c: Context<E>,
  { type, plain, zipped }: Asset,
  cacheControl: string,
): Response {
  const zips = /\bgzip\b/.test(c.req.header('accept-encoding') ?? '');
  return c.body(zips ? zipped : plain, 200, {
    'content-type': type,
    'cache-control': cacheControl,
    vary: 'accept-encoding',
    ...(zips ? { 'content-encoding': 'gzip' } : {}),
  });
}
