import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';

const FOLDER = new URL('../docs/adr/', import.meta.url);
const records = readdirSync(FOLDER).sort();
const numberOf = (file: string): number => Number(/^(\d{4})-[a-z0-9-]+\.md$/.exec(file)?.[1]);

test('each record of a decision has a number of its own, in its name and its title', () => {
  const numbers = records.map(numberOf);
  expect(numbers).toEqual([...new Set(numbers)]);
  for (const file of records) {
    const [title = ''] = readFileSync(new URL(file, FOLDER), 'utf8').split('\n');
    expect(title, file).toMatch(new RegExp(`^# ${numberOf(file)}\\. `));
  }
});

test('a page that names a record names one that there is', () => {
  const docs = new URL('../docs/', import.meta.url);
  const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  const named = pages.flatMap((page) =>
    [...readFileSync(new URL(page, docs), 'utf8').matchAll(/\]\(([^)#:]*\d{4}-[a-z0-9-]+\.md)/g)].map(
      ([, link = '']) => `${page}: ${basename(link)}`,
    ),
  );
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((link) => !records.includes(link.split(': ')[1] ?? ''))).toEqual([]);
});
