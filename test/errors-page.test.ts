import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { ERRORS } from '../src/errors.ts';

const PAGE = readFileSync(resolve(import.meta.dirname, '../docs/errors.md'), 'utf8');
const ROW = /^\| `(?<code>\w+)` \| (?<http>\d+) \| (?<actor>\w+) \| (?<text>.+) \|$/gm;

test('docs/errors.md has one row for each code, with the same HTTP status and actor', () => {
  const rows = [...PAGE.matchAll(ROW)].map((match) => match.groups ?? {});
  const described = Object.fromEntries(
    rows.map(({ code, http, actor }) => [code, { http: Number(http), actor }]),
  );
  expect(described).toEqual(ERRORS);
  expect(rows).toHaveLength(Object.keys(ERRORS).length);
});
