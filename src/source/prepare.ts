import { rmSync } from 'node:fs';
import { isSlessError, SlessError } from '../errors.ts';
import type { Runtime } from '../runtimes/catalogue.ts';
import { MAX_ASKING_BYTES, type RootFiles } from '../runtimes/install-step.ts';
import { refuseEntry } from './archive-error.ts';
import { type CentralDirectory, readCentralDirectory } from './central-directory.ts';
import { codeHash, type SourceFile } from './code-hash.ts';
import { contentHash } from './context-key.ts';
import { type ContextOutput, createContextOutput } from './context-output.ts';
import { type BuildStrategy, planBuild } from './dockerfile.ts';
import { type EntryData, readSmallEntry, writeEntryData } from './entry-data.ts';
import { entrypointFiles, entrypointNotFound } from './entrypoint.ts';
import { locateData } from './local-header.ts';
import { singleRoot, stripRoot } from './root-folder.ts';
import { filesOf, judgeEntries, type TreeEntry } from './tree.ts';
import { openZip, PEEK_BYTES, type ZipBytes } from './zip-bytes.ts';

/** What `prepareContext` needs of a runtime. */
export type ContextRuntime = Pick<Runtime, 'title' | 'entrypoint' | 'moduleSuffixes' | 'install' | 'asking'>;

export interface PrepareOptions {
  /** Where the context is written: a path in a folder that exists. The file is there whole or not at all. */
  readonly destination: string;
  /** The Function's own entrypoint; without it the runtime's. */
  readonly entrypoint?: string | undefined;
}

/** A verified build context. */
export interface PreparedContext {
  /** Sorted by the bytes of their paths. */
  readonly files: readonly SourceFile[];
  /** Of the files alone, design.md section 5. */
  readonly codeHash: string;
  /** Of the files and the Dockerfile: what the build depends on. Its first digits are part of the keys. */
  readonly contentHash: string;
  readonly strategy: BuildStrategy;
  readonly dockerfile: string;
  /** Bytes of the tar.gz. */
  readonly size: number;
}

/**
 * Turns an uploaded zip into a build context: a tar.gz with the `Dockerfile` first and the code under `function/`, sorted.
 * The zip is judged as a whole and every file verified; when anything is wrong nothing is left at the destination.
 *
 * It works synchronously for milliseconds at a time: call it in a worker, as `createContextPreparer` does.
 *
 * @param zip path of the zip; the caller limits its size (32 MiB)
 * @throws SlessError `InvalidArchive`, `EntrypointNotFound`; `Unavailable` when this machine fails (the message holds no path)
 */
export async function prepareContext(
  zip: string,
  runtime: ContextRuntime,
  options: PrepareOptions,
): Promise<PreparedContext> {
  try {
    return await convert(zip, runtime, options);
  } catch (error) {
    rmSync(options.destination, { force: true });
    if (isSlessError(error)) throw error;
    throw new SlessError('Unavailable', 'the upload could not be prepared; try again', {
      cause: error,
      retryAfterSeconds: 5,
    });
  }
}

async function convert(
  zip: string,
  runtime: ContextRuntime,
  options: PrepareOptions,
): Promise<PreparedContext> {
  const bytes = openZip(zip);
  try {
    const directory = await readCentralDirectory(bytes);
    const files = chooseRoot(filesOf(judgeEntries(directory.entries)), runtime, options.entrypoint);
    const plan = planBuild(rootFiles({ bytes, directory, files }), runtime);
    const written = await writeContext(
      { bytes, directory, files, dockerfile: plan.dockerfile },
      options.destination,
    );
    const hash = codeHash(written.files);
    return { ...written, ...plan, codeHash: hash, contentHash: contentHash(hash, plan.dockerfile) };
  } finally {
    bytes.close();
  }
}

/**
 * A single root folder is stripped: people zip the folder and mean its content. Only when the entrypoint is then missing
 * and was there before (`pkg.handler.handle`, and `pkg/` is all there is) the folder is a package and stays.
 */
function chooseRoot(
  files: TreeEntry[],
  runtime: ContextRuntime,
  entrypoint = runtime.entrypoint,
): TreeEntry[] {
  const wanted = new Set(entrypointFiles(entrypoint, runtime));
  const hasEntrypoint = (candidate: TreeEntry[]): boolean => candidate.some(({ path }) => wanted.has(path));
  const root = singleRoot(files.map(({ path }) => path));
  const stripped = root === undefined ? files : stripRoot(files, root);
  const found = [stripped, files].find(hasEntrypoint);
  if (found !== undefined) return found;
  throw entrypointNotFound(
    { entrypoint, runtime, stripped: root },
    stripped.map(({ path }) => path),
  );
}

interface Unpacked {
  readonly bytes: ZipBytes;
  readonly directory: CentralDirectory;
  readonly files: readonly TreeEntry[];
}

interface ContextParts extends Unpacked {
  readonly dockerfile: string;
}

/** The function's root, as far as a build is planned by it. */
function rootFiles({ bytes, directory, files }: Unpacked): RootFiles {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const rooms = measureRooms(directory);
  return {
    has: (name) => byPath.has(name),
    read: (name) => {
      const file = byPath.get(name);
      if (file === undefined || file.entry.uncompressedSize > MAX_ASKING_BYTES) return undefined;
      return readSmallEntry(locate(file, bytes, rooms)).toString('utf8');
    },
  };
}

async function writeContext(
  parts: ContextParts,
  destination: string,
): Promise<{ files: SourceFile[]; size: number }> {
  const output = createContextOutput(destination);
  try {
    const dockerfile = Buffer.from(parts.dockerfile);
    output.beginFile({ path: 'Dockerfile', size: dockerfile.length, executable: false });
    output.store(dockerfile);
    return { files: await writeFiles(parts, output), size: output.finish() };
  } finally {
    output.close();
  }
}

async function writeFiles(
  { bytes, directory, files }: ContextParts,
  output: ContextOutput,
): Promise<SourceFile[]> {
  const rooms = measureRooms(directory);
  const written: SourceFile[] = [];
  for (const file of files) {
    const { path, executable, entry } = file;
    const size = entry.uncompressedSize;
    const data = locate(file, bytes, rooms);
    output.beginFile({ path: `function/${path}`, size, executable });
    const sha256 = await writeEntryData(data, output);
    written.push({ path, size, executable, sha256 });
  }
  return written;
}

/** @throws SlessError `InvalidArchive` naming the entry, when its data is not where it should be */
function locate(file: TreeEntry, bytes: ZipBytes, rooms: ReadonlyMap<number, number>): EntryData {
  const { entry } = file;
  const offset = entry.relativeOffsetOfLocalHeader;
  const end = rooms.get(offset) ?? offset;
  const peek = peekRoom(bytes, { offset, end });
  const range = locateData({ entry, end, peek });
  if (typeof range === 'string') throw refuseEntry(file.name, range);
  return { file, range, peek, read: bytes.read };
}

/**
 * Where the room of each local header ends: at the next header of any entry, or at the central directory. Of two entries
 * at one place the first has no room, so that neither passes.
 */
function measureRooms({ entries, start }: CentralDirectory): Map<number, number> {
  const rooms = new Map<number, number>();
  const offsets = entries.map((entry) => entry.relativeOffsetOfLocalHeader).sort((a, b) => a - b);
  for (const [index, offset] of offsets.entries())
    if (!rooms.has(offset)) rooms.set(offset, Math.min(start, offsets[index + 1] ?? start));
  return rooms;
}

/** One read serves the header, the data and the descriptor of all but large files. */
function peekRoom(bytes: ZipBytes, room: { offset: number; end: number }): ZipBytes['peek'] {
  const held = bytes.peek(room.offset, Math.min(PEEK_BYTES, room.end - room.offset));
  return (position, length) => {
    const at = position - room.offset;
    return at >= 0 && at + length <= held.length
      ? held.subarray(at, at + length)
      : bytes.read(position, length);
  };
}
