/** client-go's default for failures of one key: 5 ms, doubled each time, up to 1000 s. */
const FIRST_BACKOFF_MS = 5;
const MAX_BACKOFF_MS = 1_000_000;
/** A retry that is nearer than this still counts as work. */
const SOON_MS = 1_000;
/** The longest that a timer of this runtime can be set to; beyond it, it would fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** What became of a key: dealt with, failed (again after a growing pause), or put off. */
export type Outcome = 'done' | 'failed' | { readonly afterMs: number };

interface WorkQueueOptions {
  readonly work: (key: string) => Promise<Outcome>;
  /** How many keys at once; one key never twice at once. */
  readonly workers: number;
  readonly maxBackoffMs?: number;
}

/** Keys to be worked on, each at most once in line. A key that comes while it is worked on is worked on again after. */
export interface WorkQueue {
  add(key: string): void;
  /** Adds later. Of two, the earlier wins. */
  addAfter(key: string, delayMs: number): void;
  /** Begins to work. */
  start(): void;
  /** Whether anything is in line, worked on, or to be tried again within a second. */
  busy(): boolean;
  /** Forgets what is in line. Work that runs is not waited for. */
  close(): void;
}

export function createWorkQueue({
  work,
  workers,
  maxBackoffMs = MAX_BACKOFF_MS,
}: WorkQueueOptions): WorkQueue {
  const line = new Set<string>();
  const running = new Set<string>();
  const again = new Set<string>();
  const failures = new Map<string, number>();
  let state: 'waiting' | 'working' | 'closed' = 'waiting';

  const add = (key: string) => {
    if (state === 'closed') return;
    if (running.has(key)) again.add(key);
    else line.add(key);
    if (state === 'working') setImmediate(next);
  };
  const delays = createDelays(add);
  const next = () => {
    for (const key of line) {
      if (state !== 'working' || running.size >= workers) return;
      line.delete(key);
      running.add(key);
      void work(key).then((outcome) => finish(key, outcome));
    }
  };
  const finish = (key: string, outcome: Outcome) => {
    running.delete(key);
    if (state === 'closed') return;
    if (outcome === 'done') failures.delete(key);
    else if (outcome === 'failed') delays.add(key, { delayMs: backoff(key), retry: true });
    else delays.add(key, { delayMs: outcome.afterMs, retry: false });
    if (again.delete(key)) add(key);
    next();
  };
  const backoff = (key: string) => {
    const count = failures.get(key) ?? 0;
    failures.set(key, count + 1);
    return Math.min(FIRST_BACKOFF_MS * 2 ** count, maxBackoffMs);
  };
  return {
    add,
    addAfter(key, delayMs) {
      if (state !== 'closed') delays.add(key, { delayMs, retry: false });
    },
    start() {
      state = 'working';
      next();
    },
    busy: () => line.size > 0 || running.size > 0 || delays.retriesSoon(),
    close() {
      state = 'closed';
      line.clear();
      again.clear();
      delays.clear();
    },
  };
}

interface Delayed {
  readonly at: number;
  readonly timer: NodeJS.Timeout;
  readonly retry: boolean;
}

/** Keys that wait for their time, each for the earliest that was asked for. */
function createDelays(due: (key: string) => void) {
  const waiting = new Map<string, Delayed>();
  return {
    add(key: string, { delayMs, retry }: { readonly delayMs: number; readonly retry: boolean }): void {
      const at = performance.now() + delayMs;
      const before = waiting.get(key);
      if (before && before.at <= at) return;
      clearTimeout(before?.timer);
      const timer = setTimeout(
        () => {
          waiting.delete(key);
          due(key);
        },
        Math.min(delayMs, MAX_DELAY_MS),
      );
      waiting.set(key, { at, timer, retry });
    },
    retriesSoon(): boolean {
      const soon = performance.now() + SOON_MS;
      return [...waiting.values()].some(({ at, retry }) => retry && at < soon);
    },
    clear(): void {
      for (const { timer } of waiting.values()) clearTimeout(timer);
      waiting.clear();
    },
  };
}
