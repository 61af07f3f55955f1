import { expect, test } from 'vitest';
import { selects } from './selector.ts';

const labels = { app: 'web', tier: 'front' };
const by = (operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist', key: string, ...values: string[]) => ({
  matchExpressions: [{ key, operator, ...(values.length > 0 ? { values } : {}) }],
});

test.each([
  [undefined, true],
  [{}, true],
  [{ matchLabels: { app: 'web' } }, true],
  [{ matchLabels: { app: 'web', tier: 'back' } }, false],
  [{ matchLabels: { other: '' } }, false],
  [by('In', 'app', 'web', 'api'), true],
  [by('In', 'other', 'web'), false],
  [by('NotIn', 'app', 'web'), false],
  [by('NotIn', 'other', 'web'), true],
  [by('Exists', 'tier'), true],
  [by('Exists', 'other'), false],
  [by('DoesNotExist', 'other'), true],
  [by('DoesNotExist', 'tier'), false],
  [{ matchLabels: { app: 'web' }, ...by('DoesNotExist', 'tier') }, false],
])('%j selects: %s', (selector, expected) => {
  expect(selects(selector, labels)).toBe(expected);
});
