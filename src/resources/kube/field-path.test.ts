import { expect, test } from 'vitest';
import { z } from 'zod';
import { fieldPath, issueLines } from './field-path.ts';

test.each([
  [[], ''],
  [['env'], 'env'],
  [['secrets', 1], 'secrets[1]'],
  [['a', 0, 'b-c'], 'a[0].b-c'],
  [['children', 'Job.batch/v1', 'team/x'], 'children["Job.batch/v1"]["team/x"]'],
  [['', 'a'], '[""].a'],
] as const)('%j is %s', (path, text) => {
  expect(fieldPath(path)).toBe(text);
  expect(fieldPath(path, 'spec')).toBe(
    text === '' ? 'spec' : `spec${text.startsWith('[') ? '' : '.'}${text}`,
  );
});

test('each mistake is a line of its own', () => {
  const schema = z.object({ secrets: z.array(z.string('must be text')), name: z.string('must be text') });
  const { error } = schema.safeParse({ secrets: ['a', 1] });
  expect(error && issueLines('spec', error)).toEqual([
    'spec.secrets[1]: must be text',
    'spec.name: must be text',
  ]);
});
