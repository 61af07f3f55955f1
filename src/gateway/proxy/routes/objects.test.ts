import { expect, test } from 'vitest';
import { fn } from '../../../../test/proxy/objects.ts';
import { readFunction } from './objects.ts';

test('calls are held to the limits that the pods were given, not to those of a spec that has not reached them', () => {
  const object = fn('ns', 'f', { timeoutSeconds: 600, concurrency: 50 });
  expect(readFunction(object)).toMatchObject({ timeoutMs: 600_000, concurrency: 50 });
  const status = { timeoutSeconds: 30, concurrency: 5 };
  expect(readFunction({ ...object, status })).toMatchObject({ timeoutMs: 30_000, concurrency: 5 });
});
