import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { GENERATORS } from './generators.ts';

const root = resolve(import.meta.dirname, '../..');

for (const generator of GENERATORS) {
  for (const { path, content } of await generator()) {
    const file = resolve(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    console.log(path);
  }
}
