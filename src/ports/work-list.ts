/** Keys to be worked on, some at once. One that is marked while it waits or is worked on is worked on once more. */
export interface WorkList {
  mark(key: string): void;
  close(): void;
}

interface WorkListDeps {
  readonly work: (key: string) => Promise<void>;
  /** Hears of a failure; the key is worked on again later. */
  readonly onError: (error: unknown, key: string) => void;
  /** Keys that are worked on at once. */
  readonly atOnce: number;
  /** The wait after a first failure; it doubles with each, up to `maxRetryMs`. */
  readonly retryMs: number;
  readonly maxRetryMs: number;
}

export function createWorkList({ work, onError, atOnce, retryMs, maxRetryMs }: WorkListDeps): WorkList {
  const marked = new Set<string>();
  const running = new Set<string>();
  const failures = new Map<string, number>();
  let closed = false;

  const fail = (key: string, error: unknown): void => {
    if (closed) return;
    onError(error, key);
    const before = failures.get(key) ?? 0;
    failures.set(key, before + 1);
    setTimeout(mark, Math.min(maxRetryMs, retryMs * 2 ** Math.min(before, 16)), key).unref();
  };
  const run = async (key: string): Promise<void> => {
    running.add(key);
    try {
      await work(key);
      failures.delete(key);
    } catch (error) {
      fail(key, error);
    }
    running.delete(key);
    startNext();
  };
  const startNext = (): void => {
    for (const key of marked) {
      if (running.size >= atOnce) return;
      if (running.has(key)) continue;
      marked.delete(key);
      void run(key);
    }
  };
  function mark(key: string): void {
    if (closed) return;
    marked.add(key);
    startNext();
  }
  return {
    mark,
    close: () => {
      closed = true;
      marked.clear();
    },
  };
}
