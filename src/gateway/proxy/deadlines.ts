/** Something that ends when its time is over. */
export interface Expiring {
  /** Epoch milliseconds; moves on with every sign of life. */
  expiresAt: number;
  expire(): void;
}

/**
 * Time limits of everything that is under way. One clock for all instead of a timer for each: moving a limit is then a
 * plain assignment, which streams do with every piece.
 */
export interface Deadlines {
  add(item: Expiring): void;
  delete(item: Expiring): void;
  close(): void;
}

/** How late a limit may strike. */
const GRAIN_MS = 100;

export function createDeadlines(now: () => number): Deadlines {
  const items = new Set<Expiring>();
  const timer = setInterval(() => {
    const time = now();
    for (const item of items) if (time >= item.expiresAt) item.expire();
  }, GRAIN_MS);
  timer.unref();
  return {
    add: (item) => items.add(item),
    delete: (item) => items.delete(item),
    close: () => clearInterval(timer),
  };
}
