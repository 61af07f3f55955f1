import { describe, expect, test } from 'vitest';
import { belongsToProxy } from './belongs.ts';

const belongs = (url: string, host: string, options = {}): boolean =>
  belongsToProxy({ url, headers: { host } }, options);

test.each([
  ['/fn', true],
  ['/fn/', true],
  ['/fn?x', true],
  ['/fn/a/b', true],
  ['/fn/../v1', true],
  ['/fnord', false],
  ['/FN/a/b', false],
  ['//fn/a/b', false],
  ['/%66n/a/b', false],
  ['/v1?x=/fn/', false],
  ['*', false],
  // Only paths are targets here; whoever sends something else is told so by the proxy.
  ['http://x/v1', true],
])('on a shared host %s: %s', (url, expected) => {
  expect(belongs(url, 'x')).toBe(expected);
});

describe('with a host of its own', () => {
  const options = { host: 'fn.example.com' };
  test('everything on that host is its own, and nothing elsewhere', () => {
    expect(belongs('/v1', 'fn.example.com', options)).toBe(true);
    expect(belongs('/fn/a/b', 'FN.example.com:443', options)).toBe(true);
    expect(belongs('/fn/a/b', 'api.example.com', options)).toBe(false);
    expect(belongs('/fn/a/b', '', options)).toBe(false);
  });
});

test('with a domain its hosts are the proxy’s, and paths stay so on every other host', () => {
  const options = { domain: 'fn.example.com' };
  expect(belongs('/v1', 'f--ns.fn.example.com', options)).toBe(true);
  expect(belongs('/v1', 'whatever.fn.example.com', options)).toBe(true);
  expect(belongs('/v1', 'fn.example.com', options)).toBe(false);
  expect(belongs('/fn/a/b', 'api.example.com', options)).toBe(true);
});
