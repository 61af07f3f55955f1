import { refuseEntry } from './archive-error.ts';
import { MAX_PATH_BYTES, MAX_SEGMENT_BYTES } from './limits.ts';

/** Where an entry lies, relative to the function's folder. */
export interface EntryPath {
  /** `/` between segments, no leading or trailing one, NFC. Empty for the folder itself. */
  readonly path: string;
  /** The name ended in a slash. */
  readonly isFolder: boolean;
}

type Predicate = (name: string) => string | undefined;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Judged on the name after backslashes became slashes. */
const NAME_RULES: readonly Predicate[] = [
  (name) => (name === '' ? 'has no name; every file needs one' : undefined),
  (name) =>
    CONTROL.test(name) ? 'has a NUL or another control character in its name; rename the file' : undefined,
  (name) =>
    name.startsWith('/') ? 'is an absolute path; names must be relative to the root of the zip' : undefined,
  (name) =>
    /^[A-Za-z]:/.test(name)
      ? 'begins with a drive; names must be relative to the root of the zip'
      : undefined,
  (name) =>
    name.split('/').includes('..')
      ? 'has ".." in its path; names must stay inside the zip\'s own folder'
      : undefined,
  // For some readers a file, for others the folder before it.
  (name) =>
    name.split('/').at(-1) === '.' ? 'ends in ".", which names a folder; end it in a slash' : undefined,
];

const PATH_RULES: readonly Predicate[] = [
  (path) =>
    path.split('/').some((segment) => Buffer.byteLength(segment) > MAX_SEGMENT_BYTES)
      ? `has a file or folder name longer than ${MAX_SEGMENT_BYTES} bytes of UTF-8; shorten it`
      : undefined,
  (path) =>
    Buffer.byteLength(path) > MAX_PATH_BYTES
      ? `has a path longer than ${MAX_PATH_BYTES} bytes of UTF-8; shorten it`
      : undefined,
];

/**
 * Normalises a decoded name: backslashes (zips made on Windows) become slashes, `.` and empty segments go, letters are
 * composed (macOS writes them decomposed, and source code imports them composed).
 *
 * @throws SlessError `InvalidArchive` naming the entry, for a name that would leave the folder or that Linux cannot hold.
 */
export function parseEntryName(name: string): EntryPath {
  const slashed = name.replaceAll('\\', '/');
  refuseFirst(name, slashed, NAME_RULES);
  const segments = slashed.split('/').filter((segment) => segment !== '' && segment !== '.');
  const path = segments.join('/').normalize('NFC');
  refuseFirst(name, path, PATH_RULES);
  return { path, isFolder: slashed.endsWith('/') };
}

/** The folder that holds a path; empty for the function's own. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function refuseFirst(name: string, judged: string, rules: readonly Predicate[]): void {
  for (const rule of rules) {
    const reason = rule(judged);
    if (reason !== undefined) throw refuseEntry(name, reason);
  }
}
