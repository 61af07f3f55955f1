import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isSlessError, SlessError } from '../errors.ts';
import type { ObjectStore, StoredObject } from '../ports/object-store.ts';
import { exactLength } from './exact-length.ts';
import { checkObjectKey } from './object-key.ts';

interface DirectoryStoreOptions {
  /** Belongs to this store and to one process alone; made when it is missing. */
  readonly folder: string;
}

/**
 * Keeps objects as files: `<folder>/objects/<key>`. What a crash left half-written is thrown away here. A key whose
 * segment needs more than 255 bytes as a file name is refused as `InvalidRequest`.
 */
export async function openDirectoryStore({ folder }: DirectoryStoreOptions): Promise<ObjectStore> {
  const root = join(folder, 'objects');
  const unfinished = join(folder, 'unfinished');
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  await mkdir(root, { recursive: true });
  const inTurn = createTurns();
  return {
    put: async (key, body, { size }) => {
      const target = pathOf(root, key);
      const temporary = join(unfinished, randomUUID());
      try {
        await writeDurably(temporary, body, size);
        await inTurn(() => moveInto(temporary, target));
      } catch (error) {
        await rm(temporary, { force: true });
        throw translate(error, key);
      }
    },
    get: async (key) => read(pathOf(root, key), key),
    head: async (key) => describe(pathOf(root, key), key),
    list: (prefix) => walk(root, '', prefix),
    delete: async (key) => {
      const target = pathOf(root, key);
      await inTurn(() => remove(target, root)).catch((error: unknown) => {
        throw translate(error, key);
      });
    },
  };
}

/**
 * A segment as a file name. Upper case is escaped, because some file systems fold it; so are `%` and everything beyond
 * plain ASCII. A folder keeps the bare name and an object's file ends in `%`, which no escaped name does: the keys `a`
 * and `a/b` then live side by side.
 */
function encodeSegment(segment: string): string {
  return Array.from(Buffer.from(segment), (byte) => {
    const character = String.fromCharCode(byte);
    return /[a-z0-9._-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
  }).join('');
}

function pathOf(root: string, key: string): string {
  checkObjectKey(key);
  return `${join(root, ...key.split('/').map(encodeSegment))}%`;
}

async function writeDurably(path: string, body: Readable | Uint8Array, size: number): Promise<void> {
  const source = body instanceof Uint8Array ? Readable.from([body]) : body;
  await pipeline(source, exactLength(size), createWriteStream(path, { flags: 'wx', flush: true }));
}

async function moveInto(temporary: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  await rename(temporary, target);
  await syncFolder(dirname(target));
}

/**
 * One change of the tree of folders after another: between a folder's being made and its being used, nobody prunes it.
 * Bytes are written elsewhere and not in turn.
 */
function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
}

/** Makes a rename outlive a power cut. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function read(path: string, key: string): Promise<StoredObject & { readonly body: Readable }> {
  try {
    const handle = await open(path, 'r');
    const { size, mtime } = await handle.stat();
    return { key, size, modifiedAt: mtime, body: handle.createReadStream() };
  } catch (error) {
    throw translate(error, key);
  }
}

async function describe(path: string, key: string): Promise<StoredObject | undefined> {
  try {
    const { size, mtime } = await stat(path);
    return { key, size, modifiedAt: mtime };
  } catch (error) {
    const translated = translate(error, key);
    if (translated.code === 'NotFound') return undefined;
    throw translated;
  }
}

/** Sorted as keys are: a folder counts as its name and a slash. */
async function* walk(folder: string, keyPrefix: string, wanted: string): AsyncGenerator<StoredObject> {
  const entries = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw translate(error, keyPrefix);
  });
  const keys = entries.map((name) => ({ name, key: keyPrefix + decodeEntry(name) }));
  keys.sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
  for (const { name, key } of keys) {
    if (key.endsWith('/')) {
      if (key.startsWith(wanted) || wanted.startsWith(key)) yield* walk(join(folder, name), key, wanted);
    } else if (key.startsWith(wanted)) {
      const found = await describe(join(folder, name), key);
      if (found !== undefined) yield found;
    }
  }
}

const decodeEntry = (name: string): string =>
  name.endsWith('%') ? decodeURIComponent(name.slice(0, -1)) : `${decodeURIComponent(name)}/`;

/** The file, and the folders that become empty by it. */
async function remove(target: string, root: string): Promise<void> {
  await rm(target, { force: true });
  for (let folder = dirname(target); folder !== root; folder = dirname(folder)) {
    try {
      await rmdir(folder);
    } catch {
      return;
    }
  }
}

function translate(error: unknown, key: string): SlessError {
  if (isSlessError(error)) return error;
  const code = codeOf(error);
  if (code === 'ENOENT') return new SlessError('NotFound', `there is no object ${JSON.stringify(key)}`);
  if (code === 'ENAMETOOLONG') {
    return new SlessError('InvalidRequest', `the object key ${JSON.stringify(key)} has too long a segment`);
  }
  return new SlessError('Unavailable', 'the object store could not be used', { cause: error });
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;
