import { expect, test } from 'vitest';
import { ERROR_MEANINGS } from './error-meanings.ts';
import { errorsPage, errorsText } from './errors-page.ts';

const section = (title: string): string =>
  errorsPage()[0]
    ?.content.split('\n## ')
    .find((part) => part.startsWith(title)) ?? '';

test('answers and reasons stand apart; what is both stands in both', () => {
  const [answers, reasons] = [section('In answers'), section('As reasons')];
  const places = (code: string) => [answers, reasons].map((part) => part.includes(`| \`${code}\` |`));
  expect(places('Unauthenticated')).toEqual([true, false]);
  expect(places('CrashLoop')).toEqual([false, true]);
  expect(places('UnknownRuntime')).toEqual([true, true]);
});

test.each([undefined, '', ' '])('a code whose meaning is %j is named, and nothing is written', (meaning) => {
  const meanings = { ...ERROR_MEANINGS, CrashLoop: meaning, Gone: meaning } as Record<string, string>;
  expect(() => errorsText(meanings)).toThrow(
    'Gone, CrashLoop: say in src/codegen/error-meanings.ts what it means and what to do',
  );
});
