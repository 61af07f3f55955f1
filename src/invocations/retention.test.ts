import { expect, test, vi } from 'vitest';
import { silentLogger as logger } from '../../test/contracts/silent-logger.ts';
import { keepRetention } from './retention.ts';

test('what is older than so many days is forgotten at once and again later, though a try fails', async () => {
  const asked: number[] = [];
  const forget = async (before: number): Promise<void> => {
    asked.push(before);
    if (asked.length === 1) throw new Error('away');
  };
  const clock = { now: () => 30 * 86_400_000 };
  const end = keepRetention({ log: { forget }, clock, logger }, { days: 14, everyMs: 5 });
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(2));
  expect(new Set(asked)).toEqual(new Set([16 * 86_400_000]));
  end();
});
