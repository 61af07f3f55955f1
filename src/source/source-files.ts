import type { Readable } from 'node:stream';
import { type ContextFile, FUNCTION_FOLDER, readContext } from './context-reader.ts';

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

/**
 * Bytes of JSON that all files together come to, up to six times those of their texts: it is held in memory. Files after
 * that are listed without their content.
 */
export const MAX_SHOWN_BYTES = 8 * 1024 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The way back: the files of a context as text, in the context's order, without the Dockerfile. It takes over `context`,
 * and ends with `signal`, whose reason it then fails with.
 *
 * @throws SlessError `InvalidArchive` for a context that is damaged
 */
export async function* readSource(context: Readable, signal?: AbortSignal): AsyncGenerator<SourceText> {
  const files = readContext(context);
  const stop = (): void => void context.destroy(new Error('nobody waits for it any more'));
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();
  let left = MAX_SHOWN_BYTES;
  try {
    for await (const file of files) {
      // What is left of a small context may be in memory already, where its stream's end is not noticed.
      signal?.throwIfAborted();
      if (!file.path.startsWith(FUNCTION_FOLDER)) continue;
      const text = await readText(file, left);
      left -= text.content === null ? 0 : jsonBytes(text.content);
      yield text;
    }
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    signal?.removeEventListener('abort', stop);
    context.destroy();
  }
}

/** @param left how many bytes of JSON its content may come to */
async function readText({ path, size, content }: ContextFile, left: number): Promise<SourceText> {
  const file = { name: path.slice(FUNCTION_FOLDER.length), size };
  const tooLarge = { ...file, content: null, omitted: 'too large' } as const;
  if (size > MAX_SHOWN_FILE_BYTES || size > left) return tooLarge;
  const text = decode(await collect(content));
  if (text === undefined) return { ...file, content: null, omitted: 'binary' };
  return jsonBytes(text) > left ? tooLarge : { ...file, content: text };
}

function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
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
