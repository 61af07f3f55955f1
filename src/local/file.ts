import { readFile, rename, writeFile } from 'node:fs/promises';
import { relative, sep } from 'node:path';

/** Replaces a file at once, so that nobody reads half of it. Only its owner may read it unless `mode` says otherwise. */
export async function replaceFile(path: string, text: string, mode = 0o600): Promise<void> {
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, text, { mode });
  await rename(temporary, path);
}

/** The text of a file, or `undefined` when there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    // Of a folder Node says EISDIR without a name.
    throw error instanceof Error ? Object.assign(error, { path }) : error;
  }
}

/** The path as someone in the working folder would write it: relative when it lies below. */
export function nearPath(path: string): string {
  const near = relative('', path);
  return near.split(sep)[0] === '..' ? path : near;
}
