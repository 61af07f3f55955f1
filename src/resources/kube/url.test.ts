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

test('an address of functions that is said goes before what follows from hosts, but for a wildcard host', () => {
  const urls = { externalUrl: 'http://localhost:8080', fnUrl: 'http://localhost:8081' };
  expect(functionUrl(urls, 'n', 'f')).toBe('http://localhost:8081/fn/n/f');
  expect(functionUrl({ ...urls, fnHost: 'h' }, 'n', 'f')).toBe('http://localhost:8081/fn/n/f');
  expect(functionUrl({ ...urls, fnDomain: 'd' }, 'n', 'f')).toBe('https://f--n.d');
});
