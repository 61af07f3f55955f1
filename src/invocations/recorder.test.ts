import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { silentLogger as logger } from '../../test/contracts/silent-logger.ts';
import { SlessError } from '../errors.ts';
import type { Invocation } from '../ports/invocation-log.ts';
import { createInvocationRecorder } from './recorder.ts';

const record = (): Invocation => ({
  id: randomUUID(),
  namespace: 'team',
  function: 'hello',
  trigger: 'http',
  startedAt: 0,
  durationMs: 1,
  outcome: 'ok',
  bytesIn: 0,
  bytesOut: 0,
  attempt: 1,
});

/** A log that can be away, and that keeps what it got. */
function fakeLog() {
  const batches: Invocation[][] = [];
  const state: { fault: Error | undefined } = { fault: undefined };
  return {
    batches,
    state,
    append: async (records: readonly Invocation[]) => {
      if (state.fault !== undefined) throw state.fault;
      batches.push([...records]);
    },
  };
}
const AWAY = new SlessError('Unavailable', 'away');
const options = { capacity: 10, batch: 4, lingerMs: 5, retryMs: 5 };
const start = (log: ReturnType<typeof fakeLog>) =>
  createInvocationRecorder({ log, clock: Date, logger }, options);

test('writes in order, in batches, each record once', async () => {
  const log = fakeLog();
  const recorder = start(log);
  const records = Array.from({ length: 10 }, record);
  for (const each of records) recorder.record(each);
  expect(log.batches).toEqual([]);
  await vi.waitFor(() => expect(recorder.stats().written).toBe(10));
  expect(log.batches.flat()).toEqual(records);
  expect(log.batches.map((batch) => batch.length)).toEqual([4, 4, 2]);
});

test('a log that is away costs nobody anything; beyond the room records are counted; then it goes on', async () => {
  const log = fakeLog();
  log.state.fault = AWAY;
  const recorder = start(log);
  const records = Array.from({ length: 13 }, record);
  for (const each of records) recorder.record(each);
  await vi.waitFor(() => expect(recorder.stats().connected).toBe(false));
  expect(recorder.stats()).toMatchObject({ written: 0, dropped: 3, waiting: 10 });
  log.state.fault = undefined;
  await vi.waitFor(() =>
    expect(recorder.stats()).toEqual({ written: 10, dropped: 3, waiting: 0, connected: true }),
  );
  expect(log.batches.flat()).toEqual(records.slice(0, 10));
});

test('records that are refused for what they are do not stand in the way of others', async () => {
  const log = fakeLog();
  log.state.fault = new Error('invalid byte sequence');
  const recorder = start(log);
  for (let count = 0; count < 4; count++) recorder.record(record());
  await vi.waitFor(() => expect(recorder.stats()).toMatchObject({ dropped: 4, waiting: 0 }));
  log.state.fault = undefined;
  recorder.record(record());
  await vi.waitFor(() => expect(recorder.stats()).toMatchObject({ written: 1, dropped: 4 }));
});

test('the end writes what waits, and counts what it cannot', async () => {
  const log = fakeLog();
  const recorder = start(log);
  for (let count = 0; count < 9; count++) recorder.record(record());
  await recorder.close(1000);
  expect(recorder.stats()).toMatchObject({ written: 9, dropped: 0, waiting: 0 });
  log.state.fault = AWAY;
  const other = start(log);
  other.record(record());
  await other.close(1000);
  expect(other.stats()).toMatchObject({ written: 0, dropped: 1, waiting: 0 });
});
