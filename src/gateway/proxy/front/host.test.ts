import { expect, test } from 'vitest';
import { functionOfHost, hostName } from './host.ts';

test.each([
  ['Fn.Example.com', 'fn.example.com'],
  ['fn.example.com:8443', 'fn.example.com'],
  ['fn.example.com.', 'fn.example.com'],
  ['fn.example.com.:80', 'fn.example.com'],
  ['[::1]:80', '[::1]'],
  ['', ''],
])('the host of %j is %j', (value, host) => {
  expect(hostName(value)).toBe(host);
});

test.each([
  ['hello--team.fn.example.com', 'team/hello'],
  ['a-b--c-d.fn.example.com', 'c-d/a-b'],
  // A namespace may have two hyphens in a row, a function may not: the first pair divides.
  ['f--a--b.fn.example.com', 'a--b/f'],
  ['f---b.fn.example.com', '-b/f'],
  ['nothing.fn.example.com', ''],
  ['--b.fn.example.com', ''],
  ['x.f--b.fn.example.com', ''],
  ['fn.example.com', undefined],
  ['other.com', undefined],
  ['f--bfn.example.com', undefined],
])('%s stands for %j', (host, key) => {
  expect(functionOfHost(host, 'fn.example.com')).toBe(key);
});
