import { expect, it } from 'vitest';
import { createTokenCache, type ProvenToken } from './token-cache.ts';

let now = 1_000_000;
const clock = { now: () => now };
const proven = (subject: string, exp = 10_000): ProvenToken => ({
  identity: { subject, namespace: 'sless-0' },
  exp,
  nbf: undefined,
});

it('forgets what was not asked for the longest, beyond its capacity', () => {
  const cache = createTokenCache(clock, { capacity: 2, lifeMs: 60_000 });
  cache.set('a', proven('a'));
  cache.set('b', proven('b'));
  cache.get('a');
  cache.set('c', proven('c'));
  expect(cache.get('b')).toBeUndefined();
  expect(cache.get('a')?.identity.subject).toBe('a');
  expect(cache.get('c')?.identity.subject).toBe('c');
  expect(cache.size).toBe(2);
});

it('stays bounded over many tokens', () => {
  const cache = createTokenCache(clock, { capacity: 100, lifeMs: 60_000 });
  for (let token = 0; token < 10_000; token += 1) cache.set(`t${token}`, proven('x'));
  expect(cache.size).toBe(100);
});

it('keeps a token for its life, and not beyond its exp', () => {
  const cache = createTokenCache(clock, { capacity: 2, lifeMs: 60_000 });
  cache.set('long', proven('long'));
  cache.set('short', proven('short', 1_010));
  now += 11_000;
  expect(cache.get('short')).toBeUndefined();
  expect(cache.get('long')).toBeDefined();
  now += 50_000;
  expect(cache.get('long')).toBeUndefined();
  expect(cache.size).toBe(0);
});
