import type { KubeObject } from '../../resources/kube/object.ts';
import { parseTime } from '../../resources/kube/time.ts';
import { type Column, columnsOf, valueAt } from './columns.ts';

interface TableOptions {
  readonly kind: string;
  /** With the columns that a CustomResourceDefinition keeps for `-o wide`. */
  readonly wide: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Objects of one kind as kubectl lists them: a line each, under heads in capitals. */
export function tableOf(objects: readonly KubeObject[], { kind, wide, now }: TableOptions): string {
  const columns = columnsOf(kind, wide);
  const rows = objects.map((object) => [
    object.metadata.name,
    ...columns.map((column) => cell(object, column, now)),
  ]);
  const table = [['NAME', ...columns.map(({ name }) => name.toUpperCase())], ...rows];
  const widths = table[0]?.map((_, index) => Math.max(...table.map((row) => row[index]?.length ?? 0))) ?? [];
  const line = (row: readonly string[]): string =>
    row
      .map((word, index) => word.padEnd(widths[index] ?? 0))
      .join('   ')
      .trimEnd();
  return table.map((row) => `${line(row)}\n`).join('');
}

function cell(object: KubeObject, column: Column, now: number): string {
  if ('word' in column) return column.word(object);
  const { jsonPath, type } = column;
  const value = valueAt(object, jsonPath);
  if (value === undefined || value === null) return '';
  if (type === 'date') return ageOf(parseTime(String(value)), now);
  const [first = '', ...more] = String(value).split(/[\n\r\f]/);
  return more.length === 0 ? first : `${first}...`;
}

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const;

/** An age as kubectl shows it, to two units while the first one is small: `42s`, `5m3s`, `3h12m`, `12d`. */
export function ageOf(since: number | undefined, now: number): string {
  if (since === undefined) return '<unknown>';
  const seconds = Math.max(0, Math.floor((now - since) / 1000));
  const largest = UNITS.findIndex(([, size]) => seconds >= size);
  if (largest === -1) return '0s';
  const [unit, size] = UNITS[largest] ?? ['s', 1];
  const [nextUnit, nextSize] = UNITS[largest + 1] ?? ['', 1];
  const count = Math.floor(seconds / size);
  const rest = Math.floor((seconds % size) / nextSize);
  return nextUnit === '' || rest === 0 || count >= 10
    ? `${count}${unit}`
    : `${count}${unit}${rest}${nextUnit}`;
}
