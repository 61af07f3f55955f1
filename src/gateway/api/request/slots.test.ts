import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSlots } from './slots.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('gives each tenant so many places and no more, and takes them back', async () => {
  const slots = createSlots({ what: 'uploads', perTenant: 2, total: 10 });
  const first = await slots.take('a');
  await slots.take('a');
  await expect(slots.take('a')).rejects.toThrow(/at most 2 uploads/);
  await slots.take('b');
  first();
  first();
  await slots.take('a');
  await expect(slots.take('a')).rejects.toMatchObject({ code: 'TooManyRequests', retryAfterSeconds: 2 });
});

it('bounds all tenants together', async () => {
  const slots = createSlots({ what: 'uploads', perTenant: 2, total: 2 });
  await slots.take('a');
  const second = await slots.take('b');
  await expect(slots.take('c')).rejects.toThrow(/too many uploads at once/);
  second();
  await slots.take('c');
});

/** Slots with a wait, and what became of those who wait. */
function waitingRoom(limits: { perTenant: number; total: number }) {
  const slots = createSlots({ what: 'uploads', ...limits, waitMs: 1000 });
  const log: string[] = [];
  const wait = (name: string, tenant = 'a', gone?: AbortSignal): Promise<(() => void) | undefined> =>
    slots.take(tenant, gone).then(
      (release) => {
        log.push(name);
        return release;
      },
      (error: { code: string }) => void log.push(`${name} ${error.code}`),
    );
  return { slots, log, wait };
}
const turn = () => vi.advanceTimersByTimeAsync(0);

it('lets who comes too much wait for their turn, in order, and only for so long', async () => {
  const { slots, log, wait } = waitingRoom({ perTenant: 1, total: 10 });
  const held = await slots.take('a');
  const first = wait('first');
  void wait('second');
  await turn();
  expect(log).toEqual([]);
  held();
  await turn();
  expect(log).toEqual(['first']);
  await vi.advanceTimersByTimeAsync(1000);
  expect(log).toEqual(['first', 'second TooManyRequests']);
  (await first)?.();
  await slots.take('a');
});

it('a slot goes to the first who may have it: a tenant that is full holds up nobody else', async () => {
  const { slots, log, wait } = waitingRoom({ perTenant: 1, total: 2 });
  await slots.take('a');
  const other = await slots.take('b');
  void wait('of a', 'a');
  void wait('of c', 'c');
  other();
  await turn();
  expect(log).toEqual(['of c']);
});

it('who leaves waits no more, and loses no slot', async () => {
  const { slots, log, wait } = waitingRoom({ perTenant: 1, total: 10 });
  const held = await slots.take('a');
  const gone = new AbortController();
  void wait('left', 'a', gone.signal);
  void wait('stays');
  gone.abort();
  held();
  await turn();
  expect(log).toEqual(['left InvalidRequest', 'stays']);
});

it('bounds who waits: four for each slot', async () => {
  const { slots, log, wait } = waitingRoom({ perTenant: 1, total: 10 });
  await slots.take('a');
  for (let i = 1; i <= 5; i += 1) void wait(`${i}`);
  await turn();
  expect(log).toEqual(['5 TooManyRequests']);
});
