import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWorkList } from './work-list.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Work that ends when its test says so. */
function deferredWork() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const work = (key: string) => {
    begun.push(key);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  return { begun, work, end: () => ends.shift()?.() };
}
const options = { onError: () => undefined, atOnce: 2, retryMs: 10, maxRetryMs: 40 };

test('so many keys are worked on at once, and the next when one is done', async () => {
  const { begun, work, end } = deferredWork();
  const list = createWorkList({ ...options, work });
  for (const key of ['a', 'b', 'c', 'c']) list.mark(key);
  expect(begun).toEqual(['a', 'b']);
  end();
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual(['a', 'b', 'c']);
});

test('a key that is marked while it is worked on is worked on once more, never twice at once', async () => {
  const { begun, work, end } = deferredWork();
  const list = createWorkList({ ...options, work });
  for (let mark = 0; mark < 3; mark++) list.mark('a');
  expect(begun).toEqual(['a']);
  end();
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual(['a', 'a']);
  end();
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual(['a', 'a']);
});

test('a failure is tried again, less and less often, and from the start after a success', async () => {
  let failures = 4;
  const tries: number[] = [];
  const list = createWorkList({
    ...options,
    work: async () => {
      tries.push(Date.now());
      if (failures-- > 0) throw new Error('no');
    },
  });
  list.mark('a');
  await vi.advanceTimersByTimeAsync(1000);
  const pauses = tries.slice(1).map((at, index) => at - (tries[index] ?? 0));
  expect(pauses).toEqual([10, 20, 40, 40]);
  failures = 1;
  list.mark('a');
  await vi.advanceTimersByTimeAsync(1000);
  expect((tries.at(-1) ?? 0) - (tries.at(-2) ?? 0)).toBe(10);
});

test('a list that is closed begins nothing', async () => {
  const { begun, work, end } = deferredWork();
  const list = createWorkList({ ...options, work });
  for (const key of ['a', 'b', 'c']) list.mark(key);
  list.close();
  end();
  list.mark('d');
  await vi.advanceTimersByTimeAsync(1000);
  expect(begun).toEqual(['a', 'b']);
});
