import { expect, test } from 'vitest';
import { functionUrl } from './url.ts';

test('a label that DNS cannot hold falls back to the path', () => {
  const urls = { externalUrl: 'https://e', fnHost: 'h', fnDomain: 'd' };
  const namespace = 'n'.repeat(21);
  expect(functionUrl(urls, namespace, 'f'.repeat(40))).toBe(`https://${'f'.repeat(40)}--${namespace}.d`);
  expect(functionUrl(urls, `${namespace}n`, 'f'.repeat(40))).toBe(
    `https://h/fn/${namespace}n/${'f'.repeat(40)}`,
  );
});
