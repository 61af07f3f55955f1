import { expect, test } from 'vitest';
import { createIdleTrust } from './idle-trust.ts';

test('before anything is known only connections of a moment ago are trusted', () => {
  expect(createIdleTrust().safeAge()).toBe(5);
});

test('half of what was seen to live, or was promised, is trusted', () => {
  const trust = createIdleTrust();
  trust.survived(5000);
  expect(trust.safeAge()).toBe(2500);
  trust.announced(65);
  expect(trust.safeAge()).toBe(32_500);
});

test('a pod that closes early is believed over what it promised', () => {
  const trust = createIdleTrust();
  trust.announced(5);
  trust.survived(900);
  trust.closed(100);
  expect(trust.safeAge()).toBe(50);
});
