import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonLines, lines } from './lines.ts';

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const value of values) found.push(value);
  return found;
}

/** The text in packets that end at these bytes. */
function packets(text: string, cuts: readonly number[]): Readable {
  const bytes = Buffer.from(text);
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return Readable.from(
    ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)).filter(({ length }) => length > 0),
  );
}

test('wherever packets end, each line is whole, and so is each character', async () => {
  const text = fc.array(
    fc.string({ unit: 'grapheme' }).map((line) => line.replaceAll('\n', '')),
    { minLength: 1 },
  );
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.nat()), async (wanted, cuts) => {
      const stream = packets(`${wanted.join('\n')}\n`, cuts);
      expect((await all(lines(stream, 1_000_000))).map(String)).toEqual(wanted);
    }),
  );
});

test('the last line needs no line feed; a long one comes in pieces', async () => {
  const stream = packets('ab\ncdefgh', [1, 4, 6, 8]);
  expect((await all(lines(stream, 3))).map(String)).toEqual(['ab', 'cde', 'fgh']);
});

test('JSON is told line by line, empty lines are passed over', async () => {
  expect(await all(jsonLines(packets('{"a":1}\n\n[2]\n', [3, 8])))).toEqual([{ a: 1 }, [2]]);
});

test.each(['{"a":', '<html>\n'])('%j is no JSON', async (text) => {
  await expect(all(jsonLines(packets(text, [])))).rejects.toMatchObject({ code: 'Unavailable' });
});
