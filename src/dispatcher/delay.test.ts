import { expect, test } from 'vitest';
import { delayAfter } from './delay.ts';

test('the delay doubles from a second, five minutes at most', () => {
  const delays = [1, 2, 3, 8, 9, 10, 99].map((tries) => delayAfter(tries, 0.5));
  expect(delays).toEqual([1000, 2000, 4000, 128_000, 256_000, 300_000, 300_000]);
});

test('chance takes one of three lengths, and never another: each is a queue', () => {
  const delays = [0, 0.2, 0.34, 0.6, 0.67, 0.999].map((random) => delayAfter(2, random));
  expect(delays).toEqual([1500, 1500, 2000, 2000, 2500, 2500]);
});
