import { expect, test } from 'vitest';
import { callLimitsOf } from './call-limits.ts';

const fn = (spec: unknown, status?: unknown) => ({
  apiVersion: 'sless.dev/v1alpha1',
  kind: 'Function',
  metadata: { name: 'f', namespace: 'ns' },
  spec,
  status,
});
const spec = { timeoutSeconds: 300, concurrency: 5 };

test.each([
  ['those that the pods were given', fn(spec, { timeoutSeconds: 10, concurrency: 2 }), 10, 2],
  ['those of the spec while status is new', fn(spec), 300, 5],
  ['each for itself', fn({ timeoutSeconds: 300, concurrency: 0 }, { concurrency: 7 }), 300, 7],
  [
    'those of the spec where status holds nonsense',
    fn(spec, { timeoutSeconds: '1', concurrency: 0 }),
    300,
    5,
  ],
  ['the defaults where neither can be read', fn('x', null), 60, 100],
  ['the defaults where there is no Function', undefined, 60, 100],
])('the limits of a call are %s', (_, object, timeoutSeconds, concurrency) => {
  expect(callLimitsOf(object)).toEqual({ timeoutSeconds, concurrency });
});
