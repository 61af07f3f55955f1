import { expect, it } from 'vitest';
import { z } from 'zod';
import { invalidRequest } from './mistakes.ts';
import { snakeField, snakePaths } from './snake-case.ts';

it('names each mistake by its path', () => {
  const schema = z.strictObject({
    name: z.string(),
    list: z.array(z.strictObject({ size: z.int() })),
  });
  const { error } = schema.safeParse({ list: [{ size: 1 }, { size: 1.5, extra: 1 }], a: 1, b: 2 });
  expect(invalidRequest(error?.issues ?? []).details).toEqual([
    'name: is required',
    'list[1].size: must be a whole number',
    'list[1].extra: there is no such field',
    'a: there is no such field',
    'b: there is no such field',
  ]);
});

it('renames the first step of a path alone', () => {
  const schema = z.object({ timeoutSeconds: z.object({ innerName: z.string() }) });
  const { error } = schema.safeParse({ timeoutSeconds: {} });
  expect(invalidRequest(error?.issues ?? [], snakeField).details).toEqual([
    'timeout_seconds.innerName: is required',
  ]);
});

it('knows the REST names of spec fields', () => {
  expect(
    ['timeoutSeconds', 's3Key', 'functionRef', 'eventJSON', 'runID', 'env', 'constructor'].map(snakeField),
  ).toEqual(['timeout_seconds', 's3_key', 'function', 'event_json', 'run_id', 'env', 'constructor']);
  expect(snakePaths('spec.timeoutSeconds: must be at least 1, not spec.env')).toBe(
    'timeout_seconds: must be at least 1, not env',
  );
});
