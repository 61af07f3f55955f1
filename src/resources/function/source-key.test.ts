import { expect, test } from 'vitest';
import { isOwnKey } from './source-key.ts';

const address = { namespace: 'team', name: 'hello' };

test.each(['v1.tar.gz', '20260101000000-0123456789abcdef.tar.gz', 'a/b/c', '_a'])('%s is its own', (rest) => {
  expect(isOwnKey(address, `contexts/team/hello/${rest}`)).toBe(true);
});

test.each([
  'contexts/team/hello/',
  'contexts/team/hello-2/v1',
  'contexts/other/hello/v1',
  'contexts/team/hello/../../other/f/v1',
  'contexts/team/hello//v1',
  'contexts/team/hello/.hidden',
  'contexts/team/hello/a?b',
  'contexts/team/hello/a b',
  '/contexts/team/hello/v1',
  '',
])('%j is not', (key) => {
  expect(isOwnKey(address, key)).toBe(false);
});
