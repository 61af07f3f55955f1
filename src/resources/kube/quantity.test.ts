import { expect, test } from 'vitest';
import { QUANTITIES } from '../../../test/objects/quantities.ts';
import { canonicalQuantity, compareQuantities, quantityWithin } from './quantity.ts';

test.each(QUANTITIES)('%s is stored as %s', (written, stored) => {
  expect(canonicalQuantity(written)).toBe(stored);
  expect(canonicalQuantity(stored)).toBe(stored);
});

test('amounts compare across their units', () => {
  expect(compareQuantities('1Gi', '1G')).toBe(1);
  expect(compareQuantities('0.5', '500m')).toBe(0);
  expect(compareQuantities('999m', '1')).toBe(-1);
  expect(compareQuantities('1', 'one')).toBeUndefined();
});

test('bounds are part of the range, and what is no quantity is outside of every range', () => {
  expect(['1m', '1k', '0.001'].every((text) => quantityWithin(text, '1m', '1k'))).toBe(true);
  expect(['0', '1001', '', '1e3', '-1'].some((text) => quantityWithin(text, '1m', '1k'))).toBe(false);
});
