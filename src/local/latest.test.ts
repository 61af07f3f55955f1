import { expect, test, vi } from 'vitest';
import { createLatest } from './latest.ts';

const later = () => new Promise<void>((resolve) => setImmediate(resolve));

test('what is asked for many times while it runs is done once more, never twice at once', async () => {
  let [running, runs] = [0, 0];
  const latest = createLatest(
    async () => {
      running += 1;
      expect(running).toBe(1);
      await later();
      runs += 1;
      running -= 1;
    },
    { onError: () => {}, retryMs: 1 },
  );
  for (let asked = 0; asked < 10; asked++) latest.request();
  await latest.idle();
  expect(runs).toBe(2);
});

test('a failure is told and tried again', async () => {
  const told: unknown[] = [];
  let runs = 0;
  const latest = createLatest(
    async () => {
      runs += 1;
      if (runs === 1) throw new Error('first');
    },
    { onError: (error) => told.push(error), retryMs: 1 },
  );
  latest.request();
  await vi.waitFor(() => expect(runs).toBe(2));
  expect(told).toEqual([new Error('first')]);
});
