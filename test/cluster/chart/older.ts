import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const HOME = resolve(import.meta.dirname, '../../..');
/** Always the same one: an image is built again when its files lie elsewhere. */
const FOLDER = join(tmpdir(), 'sless-older');
/** Large, and in no image. */
const LEFT_OUT = new Set(['.git', 'node_modules', 'test', 'docs', 'terraform']);
export const OLDER = '0.0.9';

/** This repository as it might have been one version ago: the same code, but program and runtimes call themselves older. */
export function olderHome(): string {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  for (const part of readdirSync(HOME).filter((name) => !LEFT_OUT.has(name)))
    cpSync(join(HOME, part), join(FOLDER, part), { recursive: true, preserveTimestamps: true });
  rewrite(join(FOLDER, 'package.json'), { version: OLDER });
  for (const { name } of readdirSync(join(FOLDER, 'runtimes'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  ))
    rewrite(join(FOLDER, 'runtimes', name, 'runtime.json'), { version: `v${OLDER}` });
  return FOLDER;
}

function rewrite(file: string, change: object): void {
  const content = JSON.parse(readFileSync(file, 'utf8')) as object;
  writeFileSync(file, `${JSON.stringify({ ...content, ...change }, null, 2)}\n`);
}
