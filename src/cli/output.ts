import { stringify } from 'yaml';
import { print, type World } from './world.ts';

export const FORMATS = ['table', 'json', 'yaml', 'name'] as const;
export type Format = (typeof FORMATS)[number];

/** How one kind of answer is shown as a table. */
export interface Table<T> {
  readonly columns: Readonly<Record<string, (item: T) => string | number | boolean | null | undefined>>;
}

/** Writes items for people, or for programs. A single item is an object there, several are a list. */
export function show<T extends { readonly name?: string }>(
  world: Pick<World, 'stdout' | 'env'>,
  items: T | readonly T[],
  { format, table }: { readonly format: Format; readonly table: Table<T> },
): void {
  // `Array.isArray` does not tell readonly arrays apart.
  const list = (Array.isArray(items) ? items : [items]) as readonly T[];
  const lines: Readonly<Record<Format, () => readonly string[]>> = {
    json: () => [JSON.stringify(items, null, 2)],
    yaml: () => [stringify(items).trimEnd()],
    name: () => list.map(({ name }) => name ?? ''),
    table: () => (list.length === 0 ? [] : tableLines(list, table, { colour: hasColour(world) })),
  };
  for (const line of lines[format]()) print(world, line);
}

/** Colours only on a terminal, and not where NO_COLOR is set (no-color.org). */
export function hasColour({ stdout, env }: Pick<World, 'stdout' | 'env'>): boolean {
  return stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}

/** The lines of a table, the names of its columns first; its last column is as long as it is. */
export function tableLines<T>(items: readonly T[], { columns }: Table<T>, { colour = false } = {}): string[] {
  const names = Object.keys(columns);
  const rows = items.map((item) => Object.values(columns).map((cell) => oneLine(cell(item))));
  const widths = names.map((name, index) =>
    Math.max(name.length, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => (index === cells.length - 1 ? cell : cell.padEnd(widths[index] ?? 0)))
      .join('   ')
      .trimEnd();
  return [line(names), ...rows.map(line).map((text) => (colour ? coloured(text) : text))];
}

/** What others wrote must not move the cursor: control characters and line breaks become spaces. */
function oneLine(value: string | number | boolean | null | undefined): string {
  return String(value ?? '')
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
}

const COLOURS: Readonly<Record<string, number>> = {
  Ready: 32,
  Succeeded: 32,
  ok: 32,
  Failed: 31,
  failed: 31,
  error: 31,
  Building: 33,
  Deploying: 33,
  Running: 33,
  Pending: 33,
};

function coloured(text: string): string {
  return text.replace(
    /\b(Ready|Succeeded|Failed|Building|Deploying|Running|Pending)\b/g,
    (word) => `\u001b[${COLOURS[word]}m${word}\u001b[0m`,
  );
}
