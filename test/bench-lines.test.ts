import { expect, test } from 'vitest';
import { linesOf, median } from '../bench/part.ts';

test('the middle of odd and even counts', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
});

test('a measure is a line with its ratio, what it is of, its floor and spread', () => {
  const measure = {
    name: 'small_post',
    ratios: [0.36, 0.37, 0.38],
    of: 'direct',
    floor: 0.33,
    notes: { cpu_us: 27 },
  };
  expect(linesOf('fn', measure)).toEqual({
    lines: ['bench fn.small_post ratio=0.37 of=direct floor=0.33 spread=5% ok', '# fn.small_post cpu_us=27'],
    ok: true,
  });
});

test('a ratio below its floor, and one that is no number, are missed', () => {
  const missed = linesOf('fn', { name: 'x', ratios: [0.1, 0.2, 0.3], of: 'go', floor: 0.3 });
  expect(missed.ok).toBe(false);
  expect(missed.lines).toEqual(['bench fn.x ratio=0.20 of=go floor=0.30 spread=100% MISS']);
  expect(linesOf('fn', { name: 'x', ratios: [], of: 'direct' }).ok).toBe(false);
});
