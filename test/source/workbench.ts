import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { type ContextRuntime, type PreparedContext, prepareContext } from '../../src/source/prepare.ts';
import { type RawEntry, type RawZipOptions, rawZip } from './raw-zip.ts';

export const PYTHON: ContextRuntime = {
  title: 'Python 3.11',
  entrypoint: 'handler.handle',
  moduleSuffixes: ['.py', '/__init__.py'],
  install: [
    { files: ['requirements.txt'], docker: 'pip install -r /app/function/requirements.txt', local: ['pip'] },
  ],
};

export const HANDLER: RawEntry = { name: 'handler.py', content: 'def handle(event):\n    return event\n' };

export interface TarEntry {
  readonly name: string;
  readonly mode: number;
  readonly mtime: number;
  readonly content: Buffer;
}

/** A folder of its own, in which zips become contexts. */
export interface Workbench extends AsyncDisposable {
  readonly folder: string;
  /** Where `prepare` writes. */
  readonly context: string;
  prepare(
    zip: Buffer | readonly RawEntry[],
    options?: { runtime?: ContextRuntime; entrypoint?: string; zip?: RawZipOptions },
  ): Promise<PreparedContext>;
  /** The context's entries as another implementation of tar sees them. */
  entries(): Promise<TarEntry[]>;
  /** The names in the folder, sorted. */
  left(): Promise<string[]>;
}

export async function createWorkbench(): Promise<Workbench> {
  const folder = await mkdtemp(join(tmpdir(), 'sless-source-'));
  const zip = join(folder, 'upload.zip');
  const context = join(folder, 'context.tar.gz');
  return {
    folder,
    context,
    async prepare(input, options = {}) {
      await writeFile(zip, Buffer.isBuffer(input) ? input : rawZip(input, options.zip));
      return await prepareContext(zip, options.runtime ?? PYTHON, {
        destination: context,
        entrypoint: options.entrypoint,
      });
    },
    entries: () => readTarGz(context),
    left: async () => (await readdir(folder)).sort(),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

export async function readTarGz(path: string): Promise<TarEntry[]> {
  const tar = createReadStream(path).pipe(createGunzip()).pipe(extract());
  const found: TarEntry[] = [];
  for await (const entry of tar) {
    const { name, mode, mtime } = entry.header;
    found.push({ name, mode, mtime: mtime.getTime(), content: await buffer(entry) });
  }
  return found;
}

/** The error that a promise ends in, for looking at more of it than a matcher does. */
export async function failure(promise: Promise<unknown>): Promise<Error & { code?: string }> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('expected a failure');
}
