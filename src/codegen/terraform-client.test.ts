import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { clientOf } from './terraform-client.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(resolve(ROOT, path), 'utf8');
const refuse = () => {
  throw new Error('there is no Go here');
};

test('a client that is made of the document as it is needs no Go', () => {
  const kept = read('terraform/provider/internal/api/api.gen.go');
  expect(clientOf(read('openapi.json'), refuse)).toBe(kept);
});

test('another document makes another client, which says what it is made of', () => {
  expect(clientOf('{}', (document) => `of ${document}\n`)).toMatch(
    /^\/\/ Made of .*sha256 [0-9a-f]{64}\.\n\nof \{\}\n$/,
  );
  expect(() => clientOf('{}', refuse)).toThrow('there is no Go here');
});
