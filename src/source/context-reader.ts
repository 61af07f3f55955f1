import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type Extract, extract, type Header } from 'tar-stream';
import { SlessError } from '../errors.ts';
import { showName } from './archive-error.ts';
import { parentOf, parseEntryName } from './entry-path.ts';
import { MAX_ENTRIES, MAX_UNPACKED_BYTES } from './limits.ts';

/** One regular file of a context. */
export interface ContextFile {
  /** As in the context: `Dockerfile`, `function/handler.py`. Safe to join to a folder. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly executable: boolean;
  /** To be read whole before the next file is asked for, or not at all. */
  readonly content: AsyncIterable<Buffer>;
}

/** What lies under this folder of a context is the function's own. */
export const FUNCTION_FOLDER = 'function/';

/** Beside its content a file brings its header, padding and perhaps a pax header with a record of up to 2 KiB. */
const OVERHEAD_PER_FILE = 4096;
const MAX_TAR_BYTES = MAX_UNPACKED_BYTES + MAX_ENTRIES * OVERHEAD_PER_FILE;
/** The Dockerfile comes on top of a zip's entries. */
const MAX_FILES = MAX_ENTRIES + 1;
const EXECUTABLE = 0o111;

/** tar-stream does not export the type of its entries. */
type Source = Extract extends AsyncIterable<infer Entry> ? Entry : never;

/**
 * Reads a context (tar.gz) as a stream, in little memory. Only what `prepareContext` writes is accepted, whoever wrote
 * it: regular files, names inside the folder, each once, no more and no larger than an upload may have. It takes over
 * `context` at once, before the first file is asked for.
 *
 * @throws SlessError `InvalidArchive` from the iteration, of files and of their content; an error of `context` itself
 *   passes through
 */
export function readContext(context: Readable): AsyncGenerator<ContextFile> {
  const entries = extract();
  // It listens from here on: what comes before the first file is asked for is not lost.
  const iterator = entries[Symbol.asyncIterator]();
  const stages = pipeline(context, createGunzip(), limitBytes(MAX_TAR_BYTES), entries);
  // Of the errors that follow from one, the first is the reason.
  const failed = stages.then(
    () => undefined,
    (error: unknown) => error,
  );
  const reasonOf: Translate = async (error) =>
    error instanceof SlessError ? error : translate((await failed) ?? error);
  return iterate({ [Symbol.asyncIterator]: () => iterator }, reasonOf);
}

type Translate = (error: unknown) => Promise<unknown>;

async function* iterate(entries: AsyncIterable<Source>, reasonOf: Translate): AsyncGenerator<ContextFile> {
  const claim = createClaims();
  try {
    for await (const entry of entries) {
      const file = judgeHeader(entry.header);
      claim(file.path);
      yield { ...file, content: contentOf(entry, reasonOf) };
      entry.resume();
    }
  } catch (error) {
    throw await reasonOf(error);
  }
}

async function* contentOf(entry: Source, reasonOf: Translate): AsyncGenerator<Buffer> {
  try {
    yield* entry as AsyncIterable<Buffer>; // streamx does not type what it iterates over
  } catch (error) {
    throw await reasonOf(error);
  }
}

/** Every path once, and none both a file and a folder. */
function createClaims(): (path: string) => void {
  const files = new Set<string>();
  const folders = new Set<string>();
  return (path) => {
    if (files.has(path)) throw damaged(`it holds ${showName(path)} twice`);
    files.add(path);
    const clash = (): SlessError => damaged(`it holds ${showName(path)} as a file and a folder`);
    if (folders.has(path)) throw clash();
    for (let folder = parentOf(path); folder !== '' && !folders.has(folder); folder = parentOf(folder)) {
      if (files.has(folder)) throw clash();
      folders.add(folder);
    }
    if (files.size > MAX_FILES || folders.size > MAX_FILES)
      throw damaged(`it has more than ${MAX_ENTRIES} files or folders`);
  };
}

function judgeHeader({ name, type, size, mode }: Header): Omit<ContextFile, 'content'> {
  if (type !== 'file') throw damaged(`it holds ${showName(name)}, which is not a regular file`);
  const { path, isFolder } = parseEntryName(name);
  if (isFolder) throw damaged(`it holds ${showName(name)}, which is no file's name`);
  return { path, size, executable: (mode & EXECUTABLE) !== 0 };
}

function limitBytes(limit: number): Transform {
  let passed = 0;
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      passed += piece.length;
      if (passed > limit) done(damaged(`it is larger than ${limit} bytes unpacked`));
      else done(null, piece);
    },
  });
}

function damaged(what: string, options: ErrorOptions = {}): SlessError {
  return new SlessError(
    'InvalidArchive',
    `the stored build context cannot be used: ${what}; upload the code again`,
    options,
  );
}

/** zlib's errors have codes of their own, tar-stream's none; all others come from where the bytes come from. */
function translate(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof SlessError) return error;
  const code = 'code' in error ? String(error.code) : 'Z_';
  return code.startsWith('Z_') ? damaged('it is damaged', { cause: error }) : error;
}
