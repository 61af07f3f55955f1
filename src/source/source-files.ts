import type { Readable } from 'node:stream';
import { FUNCTION_FOLDER, readContext } from './context-reader.ts';

/** A file of a function as a person reads it. */
export interface SourceText {
  /** Relative to the function's folder. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** The text, or `null` when `omitted` says why there is none. */
  readonly content: string | null;
  /** `binary`: not UTF-8, or with NUL bytes. `too large`: above what is shown of one file, or of all together. */
  readonly omitted?: 'binary' | 'too large';
}

/** Longer than any file that people write; bundles and lock files beyond it are not read in a browser. */
export const MAX_SHOWN_FILE_BYTES = 512 * 1024;

/** What one answer holds: it is JSON in memory. Files after that are listed without their content. */
export const MAX_SHOWN_BYTES = 8 * 1024 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The way back: the files of a context as text, in the context's order, without the Dockerfile.
 *
 * @throws SlessError `InvalidArchive` for a context that is damaged
 */
export async function readSource(context: Readable): Promise<SourceText[]> {
  const files: SourceText[] = [];
  let shown = 0;
  for await (const { path, size, content } of readContext(context)) {
    if (!path.startsWith(FUNCTION_FOLDER)) continue;
    const file = { name: path.slice(FUNCTION_FOLDER.length), size };
    if (size > MAX_SHOWN_FILE_BYTES || shown + size > MAX_SHOWN_BYTES) {
      files.push({ ...file, content: null, omitted: 'too large' });
      continue;
    }
    const text = decode(await collect(content));
    files.push(
      text === undefined ? { ...file, content: null, omitted: 'binary' } : { ...file, content: text },
    );
    if (text !== undefined) shown += size;
  }
  return files;
}

async function collect(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
}

function decode(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
