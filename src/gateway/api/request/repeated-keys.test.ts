import fc from 'fast-check';
import { expect, test } from 'vitest';
import { repeatedKeys } from './repeated-keys.ts';

test.each([
  ['{"a": 1, "a": 2}', ['"a"']],
  ['{"a": 1, "b": {"c": 1, "d": [], "c": 2}}', ['"c"']],
  ['[{"a": 1}, {"a": 1, "a": 1}]', ['"a"']],
  ['{"a": [{"x": "y"}], "a": 2, "b": 1, "b": 2}', ['"a"', '"b"']],
  ['{"": 1, "": 2}', ['""']],
  ['{"a": 1, "\\u0061": 2}', ['"\\u0061"']],
  ['{"\\"": 1, "\\u0022": 2}', ['"\\u0022"']],
  ['{"a\\\\": 1, "a\\\\": 2}', ['"a\\\\"']],
  ['{"__proto__": 1, "__proto__": 2}', ['"__proto__"']],
])('%s has %j more than once', (json, keys) => {
  JSON.parse(json);
  expect(repeatedKeys(json)).toEqual(keys);
});

test.each([
  '{}',
  '"a"',
  '["a", "a"]',
  '{"a": "a", "b": "a"}',
  '{"a": {"a": {"a": 1}}, "b": {"a": 1}}',
  '[{"a": 1}, {"a": 1}]',
  '{"a": "\\"a\\": 1, \\"a\\": 2"}',
  '{"a": "\\\\", "b": "{\\"b\\":1,\\"b\\":2}"}',
  '{"a": ["a", {"a": "a"}, "a"], "A": 1, "constructor": 1, "toString": 1}',
])('%s has none', (json) => {
  JSON.parse(json);
  expect(repeatedKeys(json)).toEqual([]);
});

test('whatever JSON.stringify writes has none, and one key more is found wherever it stands', () => {
  fc.assert(
    fc.property(fc.json(), fc.string(), fc.json(), (value, key, other) => {
      expect(repeatedKeys(value)).toEqual([]);
      const quoted = JSON.stringify(key);
      const json = `{"outer": [${value}, {${quoted}: ${value}, "x${quoted.slice(1)}: ${other}, ${quoted}: ${other}}]}`;
      JSON.parse(json);
      expect(repeatedKeys(json)).toEqual([quoted.slice(0, 100)]);
    }),
  );
});

test('nesting as deep as a body can be, and long runs of backslashes, are gone over in time', () => {
  expect(repeatedKeys('[{"a":'.repeat(100_000))).toEqual([]);
  expect(repeatedKeys(JSON.stringify({ a: '\\"'.repeat(200_000) }))).toEqual([]);
  expect(repeatedKeys(JSON.stringify({ a: `${'\\'.repeat(400_000)}"` }))).toEqual([]);
});
