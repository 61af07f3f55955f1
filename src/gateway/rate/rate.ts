/** How often something may come. */
export interface Rate {
  /** 0 when one more may come now, and it counts; else the milliseconds until one may. */
  take(): number;
}

/** So much of a burst passes at once, in what the rate allows for so long; then they come evenly. */
const BURST_MS = 1000;

/**
 * The generic cell rate algorithm: of the past it keeps one number, the moment when all that came would have come evenly.
 * `now` is a clock of milliseconds that nobody sets.
 */
export function createRate(perSecond: number, now: () => number): Rate {
  const interval = 1000 / perSecond;
  let even = Number.NEGATIVE_INFINITY;
  return {
    take() {
      const time = now();
      const next = Math.max(even, time);
      // Never less than one at once, however seldom it may come.
      const wait = next - time - Math.max(0, BURST_MS - interval);
      if (wait > 0) return wait;
      even = next + interval;
      return 0;
    },
  };
}

/** The rates of many, by name. */
export interface Rates {
  take(name: string): number;
}

/** More than speak at once; the memory of one is some hundred bytes. */
const MOST = 10_000;

/** Whoever was not heard of for the longest is forgotten, beyond so many. */
export function createRates(perSecond: number, now: () => number): Rates {
  const rates = new Map<string, Rate>();
  return {
    take(name) {
      const rate = rates.get(name) ?? createRate(perSecond, now);
      // A Map keeps the order of insertion: what is put back stands last.
      rates.delete(name);
      rates.set(name, rate);
      const oldest = rates.keys().next();
      if (rates.size > MOST && !oldest.done) rates.delete(oldest.value);
      return rate.take();
    },
  };
}
