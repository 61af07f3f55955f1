import { expect, test } from 'vitest';
import { contentHash, contextKey, contextPrefix, holdsContent, zipKey, zipKeyOf } from './context-key.ts';

const hash = contentHash('c0de', 'FROM x\n');
const parts = {
  namespace: 'sless-1',
  name: 'hello',
  now: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
  contentHash: hash,
};

test('keys hold the time in UTC and a piece of the content', () => {
  expect(contextKey(parts)).toBe(`contexts/sless-1/hello/20260102030405-${hash.slice(0, 16)}.tar.gz`);
  expect(zipKey(parts)).toBe(`functions/sless-1/hello/20260102030405-${hash.slice(0, 16)}.zip`);
  expect(contextKey(parts).startsWith(contextPrefix(parts))).toBe(true);
});

test('keys sort by time', () => {
  const keys = [0, 1_000, 86_400_000, 31_536_000_000].map((now) => contextKey({ ...parts, now }));
  expect(keys.toSorted()).toEqual(keys);
});

test('a key says whether it holds some content, whenever it was uploaded', () => {
  expect(holdsContent(contextKey({ ...parts, now: 0 }), hash)).toBe(true);
  expect(holdsContent(contextKey(parts), contentHash('c0de', 'FROM y\n'))).toBe(false);
  expect(holdsContent('contexts/sless-1/hello/by-hand.tar.gz', hash)).toBe(false);
});

test('the zip of a context is found by its key; a context made by hand has none', () => {
  expect(zipKeyOf(contextKey(parts))).toBe(zipKey(parts));
  expect(zipKeyOf('contexts/sless-1/hello/by-hand.tar.gz')).toBeUndefined();
  expect(zipKeyOf(`contexts/a/b/../20260102030405-${hash.slice(0, 16)}.tar.gz`)).toBeUndefined();
});
