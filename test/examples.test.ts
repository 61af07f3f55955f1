import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { validateObject } from '../src/resources/validate.ts';

const FOLDER = resolve(import.meta.dirname, '../examples');

test.each(readdirSync(FOLDER).filter((name) => name.endsWith('.yaml')))('%s can be applied', (name) => {
  const objects = parseAllDocuments(readFileSync(join(FOLDER, name), 'utf8')).map((document) =>
    document.toJS(),
  );
  expect(objects.map(({ kind }) => kind)).toContain('Function');
  for (const object of objects) expect(validateObject(object.kind, object)).toEqual([]);
});
