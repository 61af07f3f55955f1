import { createHash } from 'node:crypto';
import { chmodSync, closeSync, constants, fchmodSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { SlessError } from '../errors.ts';
import { codeHash, type SourceFile } from './code-hash.ts';
import { writeFully } from './context-output.ts';
import { type ContextFile, FUNCTION_FOLDER, readContext } from './context-reader.ts';

/** What was written of a context. */
export interface ExtractedContext {
  /** The function's files; paths relative to its folder. */
  readonly files: readonly SourceFile[];
  readonly codeHash: string;
}

/** Nobody's link is followed and nothing is replaced, whoever put it there meanwhile. */
const CREATE_ONLY = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Writes a context to a folder: `<folder>/Dockerfile` and the code under `<folder>/function/`, files 0644 or 0755 and
 * folders 0755 whatever the umask. The folder is made when it is not there, and must be empty: so that nothing in it can
 * lead elsewhere.
 *
 * Single steps on the disk are synchronous: through the thread pool each would cost ten times its own time (measured on
 * 2,000 files: 1.2 s of CPU against 0.3 s). Between them others get their turn.
 *
 * @throws SlessError `InvalidArchive` for a context that is damaged, `Unavailable` when the folder cannot be written to;
 *   an error of `context` itself passes through
 */
export async function extractContext(context: Readable, folder: string): Promise<ExtractedContext> {
  const entries = readContext(context);
  try {
    onDisk(() => openFolder(folder));
    const makeFolder = createFolderMaker(folder);
    const files: SourceFile[] = [];
    for await (const file of entries) {
      const { path, size, executable } = file;
      onDisk(() => makeFolder(dirname(path)));
      const sha256 = await writeFile(file, join(folder, path));
      if (path.startsWith(FUNCTION_FOLDER))
        files.push({ path: path.slice(FUNCTION_FOLDER.length), size, executable, sha256 });
    }
    return { files, codeHash: codeHash(files) };
  } finally {
    context.destroy();
  }
}

/** The system's errors name paths of this machine: they stay the cause. */
function onDisk<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'not an empty folder';
    throw new SlessError('Unavailable', `the code cannot be written to disk (${code})`, { cause });
  }
}

function openFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0) throw new Error(`${folder} is not empty`);
}

/** Makes folders inside `root`, each once, and from the outermost in: `mkdir` alone obeys the umask. */
function createFolderMaker(root: string): (path: string) => void {
  const made = new Set(['.']);
  return function make(path) {
    if (made.has(path)) return;
    make(dirname(path));
    mkdirSync(join(root, path));
    chmodSync(join(root, path), 0o755);
    made.add(path);
  };
}

async function writeFile(file: ContextFile, path: string): Promise<string> {
  const descriptor = onDisk(() => openSync(path, CREATE_ONLY, 0o600));
  try {
    const hash = createHash('sha256');
    for await (const piece of file.content) {
      hash.update(piece);
      onDisk(() => writeFully(descriptor, piece));
    }
    onDisk(() => fchmodSync(descriptor, file.executable ? 0o755 : 0o644));
    return hash.digest('hex');
  } finally {
    closeSync(descriptor);
  }
}
