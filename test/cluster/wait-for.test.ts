import { expect, test } from 'vitest';
import { waitFor } from './wait-for.ts';

test('waiting ends with the first state that holds', async () => {
  let count = 0;
  const state = await waitFor({ for: 'three', look: () => ++count, holds: (n) => n === 3, intervalMs: 1 });
  expect(state).toBe(3);
});

test('after the deadline the last state is told, or the error that stood in its place', async () => {
  const never = { holds: () => false, timeoutMs: 5, intervalMs: 1 };
  await expect(waitFor({ ...never, for: 'peace', look: () => ({ phase: 'war' }) })).rejects.toThrow(
    /not within 0.005 s: peace; last seen: \{\s*"phase": "war"/,
  );
  const failing = () => Promise.reject(new Error('no route'));
  await expect(waitFor({ ...never, for: 'peace', look: failing })).rejects.toThrow('no route');
});
