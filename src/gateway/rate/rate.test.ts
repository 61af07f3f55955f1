import { expect, test } from 'vitest';
import { createRate, createRates } from './rate.ts';

const clock = () => {
  const state = { time: 1000 };
  return { state, now: () => state.time };
};

test('a burst of a second passes at once, then they come evenly', () => {
  const { state, now } = clock();
  const rate = createRate(10, now);
  const passed = () => Array.from({ length: 50 }, () => rate.take()).filter((wait) => wait === 0).length;
  expect(passed()).toBe(10);
  expect(rate.take()).toBe(100);
  state.time += 99;
  expect(passed()).toBe(0);
  state.time += 1;
  expect(passed()).toBe(1);
  state.time += 10_000;
  expect(passed()).toBe(10);
});

test('over a long time no more pass than may, however they come', () => {
  const { state, now } = clock();
  const rate = createRate(7, now);
  let passed = 0;
  for (let i = 0; i < 100_000; i += 1) {
    state.time += (i * 7919) % 3;
    if (rate.take() === 0) passed += 1;
  }
  const seconds = (state.time - 1000) / 1000;
  expect(passed).toBeGreaterThan(seconds * 7 * 0.99);
  expect(passed).toBeLessThanOrEqual(seconds * 7 + 8);
});

test('once a second is one at once', () => {
  const { state, now } = clock();
  const rate = createRate(1, now);
  expect([rate.take(), rate.take()]).toEqual([0, 1000]);
  state.time += 1000;
  expect(rate.take()).toBe(0);
});

test('each name has its own, and only so many are remembered', () => {
  const { now } = clock();
  const rates = createRates(1, now);
  expect(rates.take('a')).toBe(0);
  expect(rates.take('a')).toBeGreaterThan(0);
  expect(rates.take('b')).toBe(0);
  for (let i = 0; i < 10_000; i += 1) rates.take(`c${i}`);
  expect(rates.take('a')).toBe(0);
});
