import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readControllers } from './hooks.ts';

test('local mode keeps every controller of a cluster but the one of tenants', () => {
  const names = readControllers(join(import.meta.dirname, '../../metacontroller')).map(({ name }) => name);
  expect(names.sort()).toEqual([
    'sless-functionjob-run',
    'sless-functionjobs',
    'sless-functions',
    'sless-trigger-label',
    'sless-triggers',
  ]);
});
