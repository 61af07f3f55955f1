import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { GENERATORS } from './generators.ts';

const root = resolve(import.meta.dirname, '../..');

// All is made before anything is written: one that refuses leaves the tree as it was.
const files = (await Promise.all(GENERATORS.map(async (generator) => generator()))).flat();
for (const { path, content } of files) {
  const file = resolve(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  console.log(path);
}
