import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { GENERATORS } from './generators.ts';

test('every generated file in the tree is what `npm run generate` makes', async () => {
  const files = (await Promise.all(GENERATORS.map((generator) => generator()))).flat();
  expect(files.length).toBeGreaterThan(0);
  for (const { path, content } of files) {
    expect(readFileSync(resolve(import.meta.dirname, '../..', path), 'utf8'), path).toBe(content);
  }
});
