import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadRuntimes, type RuntimeManifest } from './catalogue.ts';

const MANIFEST: RuntimeManifest = {
  name: 'lisp1.5',
  title: 'Lisp 1.5',
  version: 'v1.2.3',
  image: 'sless-runtime-lisp1.5',
  entrypoint: 'handler.handle',
  moduleSuffixes: ['.lisp'],
  install: [{ files: ['system.asd'], docker: 'install', local: ['install', '--here'] }],
  local: { command: ['lisp', 'server'], probe: ['lisp', '--version'], missing: 'lisp is not here', env: {} },
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sless-catalogue-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, manifest: unknown): void {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, 'runtime.json'), JSON.stringify(manifest));
}

test('knows each runtime by its name, in the order of names, with its folder', () => {
  write('lisp1.5', MANIFEST);
  write('apl', { ...MANIFEST, name: 'apl' });
  writeFileSync(join(folder, 'README.md'), 'no runtime');
  const runtimes = loadRuntimes(folder);
  expect([...runtimes.keys()]).toEqual(['apl', 'lisp1.5']);
  expect(runtimes.get('lisp1.5')).toEqual({ ...MANIFEST, folder: join(folder, 'lisp1.5') });
});

test('gives out what nobody can change', () => {
  write('lisp1.5', MANIFEST);
  const runtime = loadRuntimes(folder).get('lisp1.5');
  for (const part of [runtime, runtime?.local, runtime?.local.command, runtime?.install[0]]) {
    expect(Object.isFrozen(part)).toBe(true);
  }
});

test('needs no environment where dependencies are visible without', () => {
  const { env, ...local } = MANIFEST.local;
  write('lisp1.5', { ...MANIFEST, local });
  expect(loadRuntimes(folder).get('lisp1.5')?.local.env).toEqual({});
});

test.each<[string, object, string]>([
  ['a version that is not v<major>.<minor>.<patch>', { version: '1.2' }, 'version'],
  ['no suffix', { moduleSuffixes: [] }, 'moduleSuffixes'],
  ['a field that does not exist', { languages: 1 }, 'languages'],
  ['an empty command', { local: { ...MANIFEST.local, command: [] } }, 'local.command'],
  ['a name that is not its folder', { name: 'other' }, 'lisp1.5'],
])('refuses a manifest with %s, naming file and field', (_, change, named) => {
  write('lisp1.5', { ...MANIFEST, ...change });
  expect(() => loadRuntimes(folder)).toThrow(join('lisp1.5', 'runtime.json'));
  expect(() => loadRuntimes(folder)).toThrow(named);
});

test('refuses a manifest that is not JSON, naming the file', () => {
  mkdirSync(join(folder, 'broken'));
  writeFileSync(join(folder, 'broken', 'runtime.json'), '{');
  expect(() => loadRuntimes(folder)).toThrow(join('broken', 'runtime.json'));
});

test('refuses a folder without a manifest, naming the file', () => {
  mkdirSync(join(folder, 'empty'));
  expect(() => loadRuntimes(folder)).toThrow(join('empty', 'runtime.json'));
});

test('the runtimes of sless are well described, and each image carries its name', () => {
  const runtimes = loadRuntimes(join(import.meta.dirname, '../../runtimes'));
  expect([...runtimes.keys()]).toEqual(expect.arrayContaining(['nodejs20', 'python3.11']));
  for (const { name, image } of runtimes.values()) expect(image).toBe(`sless-runtime-${name}`);
});
