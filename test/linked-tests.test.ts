import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const DOCS = resolve(import.meta.dirname, '../docs');

/** A test that a page names: `[its title](../path)`. */
interface Link {
  readonly title: string;
  readonly file: string;
}

const linksIn = (text: string): readonly Link[] =>
  [...text.matchAll(/\[((?:[^\]\\]|\\.)+)\]\((\.\.\/(?:test|src)\/[^)]+\.ts)\)/g)].map(
    ([, title = '', file = '']) => ({ title, file: resolve(DOCS, file) }),
  );

/** Whether a file has a test, or a row of one, of that very title: it is a literal of its own there. */
function hasTitle({ title, file }: Link): boolean {
  const text = readFileSync(file, 'utf8');
  const escaped = title.replaceAll('\\', '\\\\');
  return [`'${escaped.replaceAll("'", "\\'")}'`, `"${escaped}"`, `\`${title}\``].some((literal) =>
    text.includes(literal),
  );
}

/** The rows of all tables of a page whose last column is called so. */
function rowsUnder(heading: string, page: string): readonly string[] {
  const lines = page.split('\n');
  const starts = lines.flatMap((line, at) => (line.endsWith(`| ${heading} |`) ? [at + 2] : []));
  return starts.flatMap((start) => {
    const end = lines.findIndex((line, at) => at >= start && !line.startsWith('|'));
    return lines.slice(start, end === -1 ? undefined : end);
  });
}

describe.each([
  ['security.md', 'tests'],
  ['hostile-input.md', 'tests'],
])('%s', (name, heading) => {
  const page = readFileSync(join(DOCS, name), 'utf8');
  const links = linksIn(page);

  test('names tests that there are', () => {
    expect(links.length).toBeGreaterThan(20);
    const absent = links.filter((link) => !existsSync(link.file) || !hasTitle(link));
    expect(absent.map(({ title, file }) => `${title} (${file.slice(dirname(DOCS).length + 1)})`)).toEqual([]);
  });

  test('every row of its tables names one', () => {
    const rows = rowsUnder(heading, page);
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.filter((row) => linksIn(row).length === 0)).toEqual([]);
  });
});
