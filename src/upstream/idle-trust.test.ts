import { expect, test } from 'vitest';
import { createIdleTrust } from './idle-trust.ts';

test('before anything is known only connections of a moment ago are trusted', () => {
  expect(createIdleTrust().safeAge(0)).toBe(5);
});

test('half of what was seen to live, or was promised, is trusted', () => {
  const trust = createIdleTrust();
  trust.survived(5000);
  expect(trust.safeAge(0)).toBe(2500);
  trust.announced(65);
  expect(trust.safeAge(0)).toBe(32_500);
});

test('a pod that closes early is believed over what it promised, for a while', () => {
  const trust = createIdleTrust();
  trust.announced(5);
  trust.survived(900);
  trust.closed(100, 1000);
  expect(trust.safeAge(1000)).toBe(50);
  trust.survived(3000);
  trust.closed(120, 2000);
  expect(trust.safeAge(50_000)).toBe(50);
  expect(trust.safeAge(62_000)).toBe(2500);
});
