/** Keys to be worked on, one after another; one that is marked while it waits is worked on once. */
export interface WorkList {
  mark(key: string): void;
  close(): void;
}

interface WorkListDeps {
  readonly work: (key: string) => Promise<void>;
  /** Hears of a failure; the key is worked on again after `retryMs`. */
  readonly onError: (error: unknown, key: string) => void;
  readonly retryMs: number;
}

export function createWorkList({ work, onError, retryMs }: WorkListDeps): WorkList {
  const marked = new Set<string>();
  let working = false;
  const run = async (): Promise<void> => {
    if (working) return;
    working = true;
    for (const key of marked) {
      marked.delete(key);
      try {
        await work(key);
      } catch (error) {
        onError(error, key);
        setTimeout(mark, retryMs, key).unref();
      }
    }
    working = false;
  };
  let closed = false;
  function mark(key: string): void {
    if (closed) return;
    marked.add(key);
    void run();
  }
  return {
    mark,
    close: () => {
      closed = true;
      marked.clear();
    },
  };
}
