import { lstatSync, readdirSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Zippable, zip } from 'fflate';
import ignore, { type Ignore } from 'ignore';
import { CliFailure, EXIT } from './failure.ts';

/** Never code, wherever it lies. */
const ALWAYS_LEFT_OUT = [
  '.git/',
  '.sless/',
  '.DS_Store',
  '__pycache__/',
  '*.pyc',
  'node_modules/',
  '.venv/',
  '.slessignore',
  '.gitignore',
  'sless.yaml',
];
/** The api takes 32 MiB; what is beyond it unpacked by far will not fit. */
const MAX_UNPACKED = 256 * 1024 * 1024;
const MAX_FILES = 10_000;
/** Zip knows no earlier year; the same tree gives the same bytes. */
const FIXED_DATE = new Date(Date.UTC(1980, 0, 1, 12));

export interface FolderZip {
  readonly bytes: Uint8Array;
  /** Relative paths, sorted. */
  readonly files: readonly string[];
}

/**
 * The zip of a folder, without what `.gitignore` and `.slessignore` leave out (the latter has the last word, `!name`
 * included). The same tree makes the same zip, whatever its dates.
 *
 * @throws CliFailure for a folder that is none, is empty, or holds a link
 */
export async function zipFolder(folder: string): Promise<FolderZip> {
  const root = realFolder(folder);
  const files = listFiles(root, rulesOf(root));
  if (files.length === 0) throw new CliFailure(`${folder} holds no file to deploy`, EXIT.usage);
  const entries: Zippable = {};
  let size = 0;
  for (const { path, stats } of files) {
    size += stats.size;
    if (size > MAX_UNPACKED)
      throw new CliFailure(`${folder} holds more than 256 MiB; leave some out with .slessignore`, EXIT.usage);
    const mode = (stats.mode & 0o111) === 0 ? 0o644 : 0o755;
    entries[path] = [
      new Uint8Array(readFileSync(join(root, path))),
      { attrs: ((0o100000 | mode) << 16) >>> 0, os: 3, mtime: FIXED_DATE },
    ];
  }
  const bytes = await new Promise<Uint8Array>((resolve, reject) =>
    zip(entries, { level: 6 }, (error, data) => (error === null ? resolve(data) : reject(error))),
  );
  return { bytes, files: files.map(({ path }) => path) };
}

function realFolder(folder: string): string {
  try {
    const real = realpathSync(folder);
    if (statSync(real).isDirectory()) return real;
  } catch (error) {
    throw new CliFailure(`there is no folder ${folder}`, EXIT.usage, { cause: error });
  }
  throw new CliFailure(`${folder} is no folder`, EXIT.usage);
}

function rulesOf(root: string): Ignore {
  // As on the Linux that functions run on, wherever this runs.
  const rules = ignore({ ignorecase: false }).add(ALWAYS_LEFT_OUT);
  for (const name of ['.gitignore', '.slessignore']) {
    try {
      rules.add(readFileSync(join(root, name), 'utf8'));
    } catch {
      // A folder without such a file leaves nothing out by it.
    }
  }
  return rules;
}

/** What of a folder is deployed, sorted by path. @throws CliFailure as `zipFolder` */
export function deployedFiles(folder: string): readonly Found[] {
  const root = realFolder(folder);
  return listFiles(root, rulesOf(root));
}

export interface Found {
  /** With slashes, on every system. */
  readonly path: string;
  readonly stats: Stats;
}

function listFiles(root: string, rules: Ignore): Found[] {
  const found: Found[] = [];
  const visit = (folder: string): void => {
    for (const name of readdirSync(join(root, folder)).sort()) {
      const path = folder === '' ? name : `${folder}/${name}`;
      const stats = lstatSync(join(root, path));
      if (rules.ignores(stats.isDirectory() ? `${path}/` : path)) continue;
      if (stats.isDirectory()) visit(path);
      else if (stats.isFile()) found.push({ path, stats });
      else
        throw new CliFailure(
          `${path} is a link or a device, which a function cannot have; leave it out with .slessignore`,
          EXIT.usage,
        );
      if (found.length > MAX_FILES)
        throw new CliFailure(`more than ${MAX_FILES} files; leave some out with .slessignore`, EXIT.usage);
    }
  };
  visit('');
  return found;
}
