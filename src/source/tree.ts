import type { Entry } from 'yauzl';
import { refuseArchive, refuseEntry, showName } from './archive-error.ts';
import { comparePaths } from './code-hash.ts';
import { entryKind } from './entry-kind.ts';
import { decodeNames, type RawName } from './entry-name.ts';
import { parentOf, parseEntryName } from './entry-path.ts';
import { MAX_ENTRIES, MAX_UNPACKED_BYTES } from './limits.ts';

/** An entry that was judged by what the central directory says of it. */
export interface TreeEntry {
  /** As in the zip, decoded: what messages name. */
  readonly name: string;
  /** Normalised, relative to the function's folder. */
  readonly path: string;
  readonly type: 'file' | 'folder';
  readonly executable: boolean;
  readonly entry: Entry;
}

const UTF8_NAMES = 0x0800;
const UNICODE_PATH_FIELD = 0x7075;

/**
 * Judges every entry and returns the files and folders that belong to the function. `__MACOSX/` and `.DS_Store`, which
 * macOS adds, are judged and then left out.
 *
 * @throws SlessError `InvalidArchive` naming the first entry that cannot be used.
 */
export function judgeEntries(entries: readonly Entry[]): TreeEntry[] {
  const names = decodeNames(entries.map(rawName));
  let unpacked = 0;
  const judged = entries.map((entry, index) => {
    const name = names[index] ?? '';
    unpacked += entry.uncompressedSize;
    if (unpacked > MAX_UNPACKED_BYTES)
      throw refuseEntry(
        name,
        `brings the zip above ${MAX_UNPACKED_BYTES} bytes unpacked; leave out large files`,
      );
    return judge(name, entry);
  });
  const kept = judged.filter(({ path }) => path !== '' && !isJunk(path));
  if (!kept.some(({ type }) => type === 'file')) throw refuseArchive('it holds no files');
  return checkCollisions(kept);
}

function judge(name: string, entry: Entry): TreeEntry {
  const { path, isFolder } = parseEntryName(name);
  const kind = entryKind(entry, isFolder);
  if (typeof kind === 'string') throw refuseEntry(name, kind);
  return { name, path, ...kind, entry };
}

function rawName(entry: Entry): RawName {
  return {
    bytes: entry.fileNameRaw,
    isUtf8: (entry.generalPurposeBitFlag & UTF8_NAMES) !== 0,
    unicodePath: entry.extraFields.find(({ id }) => id === UNICODE_PATH_FIELD)?.data,
  };
}

function isJunk(path: string): boolean {
  return (
    path === '__MACOSX' || path.startsWith('__MACOSX/') || path === '.DS_Store' || path.endsWith('/.DS_Store')
  );
}

/**
 * No path twice, and none both a file and a folder. `A.py` and `a.py` are two files: functions run on Linux. Folders that
 * are only implied count too, so that 10,000 deep paths cannot ask for millions of them.
 */
function checkCollisions(entries: TreeEntry[]): TreeEntry[] {
  const files = new Map<string, TreeEntry>();
  const folders = new Map<string, TreeEntry>();
  for (const entry of entries) {
    if (entry.type === 'file') claimFile(entry, files);
    claimFolders(entry, folders);
  }
  for (const [folder, entry] of folders) {
    const file = files.get(folder);
    if (file !== undefined)
      throw refuseEntry(
        file.name,
        `is a file and also the folder of ${showName(entry.name)}; rename one of them`,
      );
  }
  return entries;
}

function claimFile(entry: TreeEntry, files: Map<string, TreeEntry>): void {
  const other = files.get(entry.path);
  if (other !== undefined)
    throw refuseEntry(entry.name, `is there twice (as ${showName(other.name)} too); leave one of them out`);
  files.set(entry.path, entry);
}

/** Walks up from the entry to the first folder that is known. */
function claimFolders(entry: TreeEntry, folders: Map<string, TreeEntry>): void {
  let folder = entry.type === 'folder' ? entry.path : parentOf(entry.path);
  while (folder !== '' && !folders.has(folder)) {
    folders.set(folder, entry);
    folder = parentOf(folder);
  }
  if (folders.size > MAX_ENTRIES)
    throw refuseEntry(
      entry.name,
      `brings the zip above ${MAX_ENTRIES} folders; leave out what the function does not need`,
    );
}

/** The files, without folders, sorted by the bytes of their paths. */
export function filesOf(entries: readonly TreeEntry[]): TreeEntry[] {
  return entries.filter(({ type }) => type === 'file').sort((a, b) => comparePaths(a.path, b.path));
}
