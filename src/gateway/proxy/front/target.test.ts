import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { budget } from '../../../../test/fuzz/budget.ts';
import { readHostTarget, readTarget } from './target.ts';

describe('what the function sees', () => {
  test.each([
    ['/fn/ns/f', 'ns/f', '/'],
    ['/fn/ns/f/', 'ns/f', '/'],
    ['/fn/ns/f?', 'ns/f', '/?'],
    ['/fn/ns/f?x=/a/b', 'ns/f', '/?x=/a/b'],
    ['/fn/ns/f/?x=1', 'ns/f', '/?x=1'],
    ['/fn/ns/f/a%2Fb?x=1&x=2&y=a+b%20c&z=', 'ns/f', '/a%2Fb?x=1&x=2&y=a+b%20c&z='],
    ['/fn/ns/f//a//b/', 'ns/f', '//a//b/'],
    ['/fn/ns/f/.well-known/x', 'ns/f', '/.well-known/x'],
    ['/fn/ns/f/...', 'ns/f', '/...'],
    ['/fn/ns/f/a..b', 'ns/f', '/a..b'],
    ['/fn/ns/f/100%25', 'ns/f', '/100%25'],
    ['/fn/ns/f/a;v=1', 'ns/f', '/a;v=1'],
    ['/fn/ns/f/%5Cx', 'ns/f', '/%5Cx'],
    ['/fn/ns/f?a=..%2f..&b=%zz&c=\\&d=100%', 'ns/f', '/?a=..%2f..&b=%zz&c=\\&d=100%'],
    ['/fn/ns/f/_slessly', 'ns/f', '/_slessly'],
    ['/fn/ns/f/a/_sless/health', 'ns/f', '/a/_sless/health'],
  ])('%s is %s and %s', (url, key, path) => {
    expect(readTarget(url)).toEqual({ kind: 'function', key, path });
  });
});

describe('what is refused as malformed', () => {
  test.each([
    '/fn/a/f/%2e%2e/%2e%2e/b/g',
    '/fn/a/f/../g',
    '/fn/a/f/..',
    '/fn/a/f/.',
    '/fn/a/f/./x',
    '/fn/a/../b/g',
    '/fn/../v1',
    '/fn/%2e%2e/v1',
    '/fn/a/f/.%2e/x',
    '/fn/a/f/%2E./x',
    '/fn/a/f/%2f..%2f..%2fb/g',
    '/fn/a/f/x%2f..%2f..',
    '/fn/a/f/%5c..%5c',
    '/fn/a/f/%252e%252e/b',
    '/fn/a/f/%25252e%25252e/b',
    '/fn/a/f/..%252fb',
    '/fn/a/f/..;/b',
    '/fn/a/f/..;x=1/b',
    '/fn/a/f/%2e%2e;/b',
    '/fn/a/f\\..\\b',
    '/fn/a\\f',
    '/fn\\a\\f/x'.replace('\\', '/'),
    '/fn/a/f/%00',
    '/fn/a/f/%2500',
    '/fn/a/f/%zz',
    '/fn/a/f/%',
    '/fn/a/f/%4',
    '/fn/a%2ff',
    '/fn/a%2Ff/x',
    '/fn/a/f%2f..',
    '/fn/a/f%5cg',
    '/fn/a/f#x',
    'http://x/fn/a/f',
    'x',
  ])('%s', (url) => {
    expect(readTarget(url).kind).toBe('bad');
  });
});

describe('what is nothing', () => {
  test.each([
    '/',
    '/fn',
    '/fn/',
    '/fn/a',
    '/fn/a?x=/f',
    '/FN/a/f',
    '/v1',
    '//fn/a/f',
    '/fn/a/f/_sless/health',
    '/fn/a/f/_sless',
    '/fn/a/f//_sless/health',
    '/fn/a/f/%5fsless/health',
    '/fn/a/f/%5Fsless%2Fhealth',
    '/fn/a/f/%255fsless/health',
    '/fn/a/f/%2f_sless/health',
    '/fn/a/f/_sless;x/health',
    '/fn/a/f/;/;x//_sless/health',
    '/fn/a/f/_%73less/health',
  ])('%s', (url) => {
    expect(readTarget(url)).toEqual({ kind: 'none' });
  });

  test('names that no function can have come out as they are and match nothing', () => {
    expect(readTarget('/fn//f')).toEqual({ kind: 'function', key: '/f', path: '/' });
    expect(readTarget('/fn/a//x')).toMatchObject({ key: 'a/' });
    expect(readTarget('/fn/%61/f')).toMatchObject({ key: '%61/f' });
  });
});

test('a host of its own hands on the whole target, under the same rules', () => {
  expect(readHostTarget('/a/b?c', 'ns/f')).toEqual({ kind: 'function', key: 'ns/f', path: '/a/b?c' });
  expect(readHostTarget('/fn/x/y', 'ns/f')).toMatchObject({ path: '/fn/x/y' });
  expect(readHostTarget('/%2e%2e/x', 'ns/f').kind).toBe('bad');
  expect(readHostTarget('/_sless/health', 'ns/f').kind).toBe('none');
  expect(readHostTarget('/%5fsless', 'ns/f').kind).toBe('none');
  expect(readHostTarget('http://x/', 'ns/f').kind).toBe('bad');
});

/** What a server may make of a path, decoding as often as it likes: the segments, resolved. */
function resolved(path: string): string[] {
  let text = path;
  for (let i = 0; i < 8; i += 1) {
    text = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  }
  const out: string[] = [];
  for (const segment of text.split(/[/\\]/)) {
    const plain = segment.split(';')[0] ?? '';
    if (plain === '..') out.pop();
    else if (plain !== '' && plain !== '.') out.push(plain);
  }
  return out;
}

const piece = fc.constantFrom(
  ...[
    '/',
    '//',
    '.',
    '..',
    '%2e',
    '%2E',
    '%252e',
    '%2f',
    '%5c',
    '\\',
    '%00',
    '%',
    '%zz',
    ';',
    '?',
    '#',
    'a',
    'b',
  ],
  ...['f', 'g', '_sless', '%5f', 'health', '%25', ' ', 'é', ':', '@', '&', '='],
);

test('no path, however written, comes out as another function or as a way up', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const url = `/fn/a/f${pieces.join('')}`;
      const target = readTarget(url);
      if (target.kind !== 'function') return;
      // Either the function itself, with every byte kept, or a name that no function has.
      if (target.key === 'a/f') {
        const rest = url.slice('/fn/a/f'.length);
        expect(target.path).toBe(rest.startsWith('/') ? rest : `/${rest}`);
        const [path = ''] = url.split('?');
        expect(resolved(path).slice(0, 3)).toEqual(['fn', 'a', 'f']);
        expect(resolved(path)[3]).not.toBe('_sless');
      } else expect(target.key.startsWith('a/f')).toBe(true);
    }),
    budget(20_000),
  );
});
