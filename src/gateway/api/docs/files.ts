import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
};

/** A file as it is sent: plain, or compressed to those who take that. */
export interface SentFile {
  readonly type: string;
  readonly plain: Buffer<ArrayBuffer>;
  readonly zipped: Buffer<ArrayBuffer>;
}

export interface DocsFiles {
  readonly page: SentFile;
  /** Name of the folder of all others. It is another one when any of them changes. */
  readonly folder: string;
  readonly others: ReadonlyMap<string, SentFile>;
}

/** Swagger UI as it was published; found by hand, so that it is not run. */
function ofSwaggerUi(name: string): Buffer {
  const folders = createRequire(import.meta.url).resolve.paths('swagger-ui-dist') ?? [];
  const files = folders.map((folder) => join(folder, 'swagger-ui-dist', name));
  const found = files.find((file) => existsSync(file));
  if (found === undefined) throw new Error(`swagger-ui-dist is not installed: ${name} is missing`);
  return readFileSync(found);
}

/** Everything that the page is made of, some 2.5 MB. @param document the OpenAPI document as JSON text */
export function readDocsFiles(document: string): DocsFiles {
  const others = new Map(
    Object.entries({
      'openapi.json': Buffer.from(document),
      'page.js': readFileSync(join(import.meta.dirname, 'page.js')),
      'swagger-ui-bundle.js': ofSwaggerUi('swagger-ui-bundle.js'),
      'swagger-ui.css': ofSwaggerUi('swagger-ui.css'),
    }).map(([name, bytes]) => [name, sentFile(name, bytes)]),
  );
  const digest = createHash('sha256');
  for (const { plain } of others.values()) digest.update(plain);
  const folder = digest.digest('hex').slice(0, 12);
  const page = readFileSync(join(import.meta.dirname, 'page.html'), 'utf8');
  // Relative to the page, so that it works behind a prefix too.
  const text = page.replaceAll('{assets}', `docs/${folder}`);
  return { page: sentFile('page.html', Buffer.from(text)), folder, others };
}

function sentFile(name: string, bytes: Buffer): SentFile {
  const plain = Buffer.from(bytes);
  return { type: TYPES[extname(name)] ?? 'application/octet-stream', plain, zipped: gzipSync(plain) };
}
