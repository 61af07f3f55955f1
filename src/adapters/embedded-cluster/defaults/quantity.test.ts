import { expect, test } from 'vitest';
import { canonicalQuantity } from './quantity.ts';

test.each([
  ['0.5', '500m'],
  ['1000m', '1'],
  ['1500m', '1500m'],
  [2, '2'],
  ['2000', '2k'],
  ['0', '0'],
  ['0m', '0'],
  ['0.0001', '0.0001'],
  ['1024Mi', '1Gi'],
  ['0.5Gi', '512Mi'],
  ['1.5Gi', '1536Mi'],
  ['128Mi', '128Mi'],
  ['1000Ki', '1000Ki'],
  ['1G', '1G'],
  ['1000M', '1G'],
  ['no quantity', 'no quantity'],
])('%s is written back as %s', (given, canonical) => {
  expect(canonicalQuantity(given)).toBe(canonical);
});
