import { afterEach, expect, test, vi } from 'vitest';
import { createWorkQueue, type Outcome, type WorkQueue } from './work-queue.ts';

let queue: WorkQueue;
afterEach(() => queue.close());

const open = (work: (key: string) => Promise<Outcome>, workers = 2) => {
  queue = createWorkQueue({ work, workers, maxBackoffMs: 40 });
};
const idle = () => vi.waitFor(() => queue.busy() && Promise.reject(new Error('busy')));

test('a key is in line once, however often it is added', async () => {
  const worked: string[] = [];
  open(async (key) => {
    worked.push(key);
    return 'done';
  });
  for (const key of ['a', 'b', 'a', 'a']) queue.add(key);
  expect(worked).toEqual([]);
  queue.start();
  await idle();
  expect(worked).toEqual(['a', 'b']);
});

test('a key that is added while it is worked on is worked on once more, after', async () => {
  let inside = 0;
  let times = 0;
  open(async (key) => {
    expect(inside).toBe(0);
    inside += 1;
    times += 1;
    if (times === 1) for (let count = 0; count < 3; count += 1) queue.add(key);
    await new Promise(setImmediate);
    inside -= 1;
    return 'done';
  });
  queue.start();
  queue.add('a');
  await idle();
  expect(times).toBe(2);
});

test('no more keys at once than there are workers', async () => {
  let inside = 0;
  let most = 0;
  open(async () => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise(setImmediate);
    inside -= 1;
    return 'done';
  });
  queue.start();
  for (let count = 0; count < 10; count += 1) queue.add(String(count));
  await idle();
  expect(most).toBe(2);
});

test('of two delays the earlier wins, and one that is over can be set again', async () => {
  const at: number[] = [];
  open(async () => {
    at.push(performance.now());
    return 'done';
  });
  queue.start();
  const begun = performance.now();
  queue.addAfter('a', 10_000);
  queue.addAfter('a', 20);
  queue.addAfter('a', 5_000);
  await vi.waitFor(() => expect(at).toHaveLength(1));
  expect((at[0] ?? 0) - begun).toBeGreaterThanOrEqual(18);
  queue.addAfter('a', 5);
  await vi.waitFor(() => expect(at).toHaveLength(2));
});

test('pauses between failures begin anew after a success', async () => {
  const at: number[] = [];
  const outcomes: Outcome[] = [
    'failed',
    'failed',
    'failed',
    'failed',
    'failed',
    'failed',
    'failed',
    'done',
    'failed',
  ];
  const work = async () => {
    at.push(performance.now());
    return outcomes[at.length - 1] ?? 'done';
  };
  queue = createWorkQueue({ work, workers: 1 });
  queue.start();
  queue.add('a');
  await vi.waitFor(() => expect(at).toHaveLength(8), { timeout: 5_000 });
  queue.add('a');
  await vi.waitFor(() => expect(at).toHaveLength(10), { timeout: 5_000 });
  // The eighth pause in a row would be 640 ms.
  expect((at[9] ?? 0) - (at[8] ?? 0)).toBeLessThan(600);
});

test('a failure is tried again although a far delay of the key is waiting', async () => {
  let times = 0;
  open(async () => {
    times += 1;
    return times < 3 ? 'failed' : 'done';
  });
  queue.start();
  queue.addAfter('a', 60_000);
  queue.add('a');
  await vi.waitFor(() => expect(times).toBe(3));
});

test('a delay beyond what a timer can hold is not cut to nothing', async () => {
  let times = 0;
  open(async () => {
    times += 1;
    return 'done';
  });
  queue.start();
  queue.addAfter('a', 2 ** 40);
  queue.add('b');
  await idle();
  expect(times).toBe(1);
});

test('a closed queue works on nothing more', async () => {
  const worked: string[] = [];
  open(async (key) => {
    worked.push(key);
    queue.close();
    return 'failed';
  }, 1);
  queue.start();
  queue.add('a');
  queue.add('b');
  await vi.waitFor(() => expect(worked).toEqual(['a']));
  queue.add('c');
  expect(queue.busy()).toBe(false);
});
