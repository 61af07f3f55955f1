import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { codeHash, type SourceFile } from './code-hash.ts';
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
 * Writes a context to a folder: `<folder>/Dockerfile` and the code under `<folder>/function/`, files 0644 or 0755 whatever
 * the umask. The folder is made when it is not there, and must be empty: so that nothing in it can lead elsewhere.
 *
 * @throws SlessError `InvalidArchive` for a context that is damaged; Error when the folder is not empty; the system's errors
 */
export async function extractContext(context: Readable, folder: string): Promise<ExtractedContext> {
  try {
    await mkdir(folder, { recursive: true });
    if ((await readdir(folder)).length > 0)
      throw new Error('a context is extracted into an empty folder only');
  } catch (error) {
    context.destroy();
    throw error;
  }
  const files: SourceFile[] = [];
  for await (const file of readContext(context)) {
    const sha256 = await writeFile(file, join(folder, file.path));
    const { path, size, executable } = file;
    if (path.startsWith(FUNCTION_FOLDER))
      files.push({ path: path.slice(FUNCTION_FOLDER.length), size, executable, sha256 });
  }
  return { files, codeHash: codeHash(files) };
}

async function writeFile(file: ContextFile, path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o755 });
  const handle = await open(path, CREATE_ONLY, 0o600);
  try {
    const sha256 = await writeContent(file.content, handle);
    await handle.chmod(file.executable ? 0o755 : 0o644);
    return sha256;
  } finally {
    await handle.close();
  }
}

async function writeContent(content: AsyncIterable<Buffer>, handle: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of content) {
    hash.update(piece);
    await handle.writeFile(piece);
  }
  return hash.digest('hex');
}
