import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const SRC = resolve(import.meta.dirname, '../src');

/** Folder of src → the folders it may import, beside itself. Every folder may import errors.ts, zod and node:*. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'resources/kube': [],
  'resources/function': ['resources/kube', 'runtimes'],
  'resources/trigger': ['resources/kube', 'resources/function'],
  'resources/function-job': ['resources/kube'],
  resources: [
    'resources/kube',
    'resources/function',
    'resources/trigger',
    'resources/function-job',
    'runtimes',
  ],
  runtimes: [],
  source: ['runtimes'],
  ports: ['resources/kube', 'resources/function', 'resources/trigger', 'resources/function-job', 'resources'],
  adapters: ['ports', 'resources', 'resources/kube'],
  operator: [
    'resources',
    'resources/kube',
    'resources/function',
    'resources/trigger',
    'resources/function-job',
    'runtimes',
    'ports',
  ],
  gateway: [
    'resources',
    'resources/kube',
    'resources/function',
    'resources/trigger',
    'resources/function-job',
    'source',
    'runtimes',
    'ports',
  ],
  reporter: ['resources', 'resources/kube', 'resources/function', 'ports'],
  telemetry: ['ports'],
  config: ['runtimes'],
  local: ['*'],
  bin: ['*'],
  codegen: ['*'],
};

const folderOf = (file: string): string => {
  const folder = dirname(relative(SRC, file));
  return folder in ALLOWED
    ? folder
    : (Object.keys(ALLOWED)
        .filter((known) => `${folder}/`.startsWith(`${known}/`))
        .sort()
        .at(-1) ?? folder);
};

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => join(SRC, name));

const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) =>
    resolve(dirname(file), match[1] ?? ''),
  );

test('every import follows the table of allowed arrows', () => {
  const wrong = files.flatMap((file) =>
    importsOf(file)
      .map((target) => ({ from: folderOf(file), to: folderOf(target), target }))
      .filter(({ from, to, target }) => {
        if (from === to || target === join(SRC, 'errors.ts') || from === '.') return false;
        const allowed = ALLOWED[from] ?? [];
        return !(allowed.includes(to) || (allowed.includes('*') && to !== 'bin'));
      })
      .map(({ to }) => `${relative(SRC, file)} → ${to}`),
  );
  expect(wrong).toEqual([]);
});

test('no file imports itself over others', () => {
  const graph = new Map(files.map((file) => [file, importsOf(file)]));
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) throw new Error([...path, file].map((step) => relative(SRC, step)).join(' → '));
    if (done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  expect(done.size).toBe(files.length);
});
