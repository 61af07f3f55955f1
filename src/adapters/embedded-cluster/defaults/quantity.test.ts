import { expect, test } from 'vitest';
import { QUANTITIES } from '../../../../test/objects/quantities.ts';
import { canonicalQuantity } from './quantity.ts';

test.each([...QUANTITIES, [2, '2'], [0.5, '500m'], ['no quantity', 'no quantity'], [null, null]])(
  '%s is written back as %s',
  (given, canonical) => {
    expect(canonicalQuantity(given)).toBe(canonical);
  },
);
