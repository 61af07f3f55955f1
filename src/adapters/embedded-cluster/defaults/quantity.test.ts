import { expect, test } from 'vitest';
import { QUANTITIES } from '../../../../test/objects/quantities.ts';
import { canonicalQuantity } from './quantity.ts';

/** What stands in an object is any JSON, and only what is a quantity is written another way. */
const ANYTHING: readonly (readonly [unknown, unknown])[] = [
  ...QUANTITIES,
  [2, '2'],
  [0.5, '500m'],
  ['no quantity', 'no quantity'],
  [null, null],
];

test.each(ANYTHING)('%s is written back as %s', (given, canonical) => {
  expect(canonicalQuantity(given)).toBe(canonical);
});
