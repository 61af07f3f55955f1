import { expect, test } from 'vitest';
import { createPace } from './pace.ts';

const MIDDLE = () => 0.5;

test('all of the prefetch at first', () => {
  const pace = createPace(10, MIDDLE);
  expect([pace.allows(9, 0), pace.allows(10, 0), pace.pause(0), pace.busySince]).toEqual([
    true,
    false,
    0,
    undefined,
  ]);
});

test('calls that are refused together count once: half as many, after a pause', () => {
  const pace = createPace(100, MIDDLE);
  for (let running = 99; running > 60; running -= 1) pace.refused(running, 1000);
  expect(pace.pause(1000)).toBe(100);
  expect([pace.allows(0, 1050), pace.allows(49, 1100), pace.allows(50, 1100)]).toEqual([false, true, false]);
  expect(pace.busySince).toBe(1000);
});

test('pauses double up to 5 s while nothing gets through, and a success begins anew', () => {
  const pace = createPace(4, MIDDLE);
  let now = 0;
  const pauses = Array.from({ length: 8 }, () => {
    pace.refused(0, now);
    const pause = pace.pause(now);
    now += pause;
    return pause;
  });
  expect(pauses).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000]);
  expect([pace.allows(0, now), pace.allows(1, now)]).toEqual([true, false]);
  pace.succeeded();
  expect(pace.busySince).toBeUndefined();
  pace.refused(0, now);
  expect(pace.pause(now)).toBe(100);
});

test('successes raise it again, to the prefetch and no further', () => {
  const pace = createPace(8, MIDDLE);
  for (let i = 0; i < 5; i += 1) pace.refused(0, i * 10_000);
  const width = () => [1, 2, 3, 4, 5, 6, 7, 8, 9].filter((count) => pace.allows(count - 1, 1_000_000)).length;
  expect(width()).toBe(1);
  pace.succeeded();
  expect(width()).toBe(2);
  for (let i = 0; i < 200; i += 1) pace.succeeded();
  expect(width()).toBe(8);
});
