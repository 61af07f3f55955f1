import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** The published package, installed in a folder of its own. */
export interface InstalledPackage {
  /** `bin` of the package. */
  readonly program: string;
  readonly folder: string;
  close(): void;
}

/**
 * Packs a copy of the project as `npm publish` would and lays the tarball where npm would lay it, the project's own
 * packages beside it: so nothing has to be fetched, and Node strips no types there.
 */
export function installPackage(): InstalledPackage {
  const folder = mkdtempSync(join(tmpdir(), 'sless-package-'));
  const copy = join(folder, 'project');
  const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: string[] };
  for (const name of [
    ...files,
    'src',
    'package.json',
    'tsconfig.json',
    'tsconfig.pack.json',
    'README.md',
    'LICENSE',
  ])
    if (name !== 'dist' && existsSync(join(ROOT, name)))
      cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  execFileSync('npm', ['pack', '--pack-destination', folder], { cwd: copy, stdio: 'pipe' });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  const modules = join(folder, 'elsewhere/node_modules');
  mkdirSync(join(modules, 'sless'), { recursive: true });
  execFileSync('tar', ['xzf', join(folder, tarball), '--strip-components=1', '-C', join(modules, 'sless')]);
  linkPackages(join(ROOT, 'node_modules'), modules);
  return {
    program: join(modules, 'sless/bin/sless.mjs'),
    folder: join(folder, 'elsewhere'),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function linkPackages(from: string, to: string): void {
  for (const name of readdirSync(from)) {
    if (name.startsWith('.') || name === 'sless') continue;
    if (name.startsWith('@')) {
      mkdirSync(join(to, name), { recursive: true });
      for (const inner of readdirSync(join(from, name))) link(join(from, name, inner), join(to, name, inner));
    } else link(join(from, name), join(to, name));
  }
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}
