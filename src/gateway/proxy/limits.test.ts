import { expect, test } from 'vitest';
import { createArrivals } from './arrivals.ts';
import { enter, enterUpload, type InFlight, leave, newGauge, uploaded } from './limits.ts';

const inFlight = (own: number, tenant = 1000): InFlight => ({
  own: newGauge(own),
  tenant: newGauge(tenant),
  uploaders: new Map(),
});

/** How many uploads get in, one after another, from callers in turn. */
function admitted(places: InFlight, callers: readonly string[]): number {
  let count = 0;
  while (enterUpload(places, callers[count % callers.length]!) === undefined) count += 1;
  return count;
}

test.each([
  [100, 50, 75],
  [10, 5, 7],
  [4, 2, 3],
  [2, 1, 1],
  [1, 1, 1],
])('of %i places one caller’s uploads may hold %i, all uploads %i', (limit, own, all) => {
  expect(admitted(inFlight(limit), ['a'])).toBe(own);
  expect(admitted(inFlight(limit), ['a', 'b', 'c'])).toBe(all);
});

test('the rest is there for calls that wait for nothing, and the bound that is reached is named', () => {
  const places = inFlight(4);
  admitted(places, ['a']);
  expect(enterUpload(places, 'a')).toBe('uploader');
  enterUpload(places, 'b');
  expect(enterUpload(places, 'b')).toBe('uploads');
  expect(enter(places)).toBeUndefined();
  expect(enter(places)).toBe('function');
  expect(enterUpload(places, 'c')).toBe('function');
});

test('a tenant’s uploads are bounded over all its functions', () => {
  const tenant = newGauge(4);
  const [one, other] = [inFlight(100), inFlight(100)].map((places) => ({ ...places, tenant }));
  expect(admitted(one!, ['a'])).toBe(3);
  expect(enterUpload(other!, 'b')).toBe('uploads');
  expect(enter(other!)).toBeUndefined();
  expect(enter(other!)).toBe('tenant');
});

test('an upload that is through makes room for another, and nothing is left when all are gone', () => {
  const places = inFlight(2);
  expect(enterUpload(places, 'a')).toBeUndefined();
  uploaded(places, 'a');
  expect(enterUpload(places, 'a')).toBeUndefined();
  uploaded(places, 'a');
  leave(places);
  leave(places);
  expect(places).toEqual(inFlight(2));
});

test('what has come of small bodies is bounded for each caller and in all, and let go', () => {
  const arrivals = createArrivals(100, 40);
  expect(arrivals.hold('a', 40)).toBe(true);
  expect(arrivals.hold('a', 1)).toBe(false);
  expect(arrivals.hold('b', 40)).toBe(true);
  expect(arrivals.hold('c', 21)).toBe(false);
  expect(arrivals.hold('c', 20)).toBe(true);
  arrivals.free('a', 40);
  expect(arrivals.hold('a', 40)).toBe(true);
});
