import type { SlessError } from '../../../errors.ts';
import { isStopped } from '../parts/power.ts';
import { stateOf } from '../parts/status.ts';
import { triggerText } from '../parts/trigger-chip.ts';
import type { FunctionData } from './function-page.ts';
import { type ListData, replicas } from './list.ts';
import type { SourceFile } from './source.ts';

/** The list for a terminal. */
export function listText({ functions, triggers }: ListData): string {
  const byFunction = Map.groupBy(triggers, (trigger) => trigger.function);
  const rows = functions.items.map((fn) => {
    const own = byFunction.get(fn.name) ?? [];
    const { word, message } = stateOf(fn);
    const kinds = own.map((each) => triggerText(each)).join(',');
    const state = [word, replicas(fn, isStopped(fn, own)), fn.last_built_at ?? '-', kinds || '-'];
    return [
      fn.name,
      fn.runtime,
      ...state,
      fn.url ?? '-',
      word === 'Failed' ? (message.split('\n')[0] ?? '') : '',
    ];
  });
  const more = functions.next === null ? '' : `more: ?cursor=${encodeURIComponent(functions.next)}\n`;
  return (
    columns([['NAME', 'RUNTIME', 'STATE', 'REPLICAS', 'BUILT', 'TRIGGERS', 'URL', 'WHY'], ...rows]) + more
  );
}

/** One function for a terminal: what it is, why it is not as it is wanted, and what calls it. */
export function functionText({ fn, triggers }: FunctionData): string {
  const { word, reason, message } = stateOf(fn);
  const facts = [
    ['name', fn.name],
    ['runtime', fn.runtime],
    ['state', reason === word ? word : `${word} (${reason})`],
    ['replicas', replicas(fn, isStopped(fn, triggers))],
    ['built', fn.last_built_at ?? '-'],
    ['url', fn.url ?? '-'],
    ...triggers.map((trigger) => [
      'trigger',
      `${trigger.name} ${triggerText(trigger)} ${trigger.message}`.trim(),
    ]),
  ];
  return `${columns(facts)}${message === '' ? '' : `\n${message}\n`}`;
}

/** The code for a terminal, each file below its name. */
export function sourceText(files: readonly SourceFile[]): string {
  return files
    .map(({ name, content, omitted }) => `==> ${name} <==\n${content ?? `(${omitted ?? 'left out'})\n`}\n`)
    .join('');
}

/** Texts one below the other. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        `${row
          .map((text, i) => text.padEnd(widths[i] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** An error for a terminal. */
export function failureText({ code, message }: Pick<SlessError, 'code' | 'message'>): string {
  return `error: ${message} (${code})\n`;
}
