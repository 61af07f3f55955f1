import { isAbsolute, relative } from 'node:path';

interface FileFault extends Error {
  readonly code: string;
  readonly path: string;
  /** Of a rename or a link: what it should have become. */
  readonly dest?: string;
}

/** What is wrong with a place, and what helps, by the system's word for it. */
const FAULTS: Readonly<Record<string, string>> = {
  EISDIR: 'is a folder where sless keeps a file: move it away',
  EEXIST: 'is a file where sless keeps a folder: move it away',
  ENOTDIR: 'lies below a file where sless keeps a folder: move that file away',
  EACCES: 'may not be used by this user: make it this user’s own, or set SLESS_DIR to another folder',
  EPERM: 'may not be changed by this user: make it this user’s own, or set SLESS_DIR to another folder',
  EROFS: 'lies on a disk that is read only: set SLESS_DIR to a folder on another one',
  ENOSPC: 'cannot be written, since the disk is full: make room, or set SLESS_DIR to a folder on another one',
  ELOOP: 'is a symbolic link to itself: remove it',
  ENAMETOOLONG: 'is too long for a path: set SLESS_DIR to a shorter one',
};

/**
 * What helps where something in the folder of local mode, or the folder itself, is not what sless could have left there.
 * `undefined` for all other errors.
 */
export function folderFault(error: unknown, root: string): string | undefined {
  if (!isFileFault(error)) return undefined;
  const place = [error.dest, error.path].find((path) => path !== undefined && isWithin(path, root));
  const what = Object.hasOwn(FAULTS, error.code) ? FAULTS[error.code] : undefined;
  return place === undefined || what === undefined ? undefined : `${place} ${what}`;
}

const isFileFault = (error: unknown): error is FileFault =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  'path' in error &&
  typeof error.path === 'string';

/** The folder, what lies in it, and the folders that lead to it. */
function isWithin(path: string, root: string): boolean {
  return isInside(path, root) || isInside(root, path);
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}
