/** How long a container that ended waits for its next start. */
export interface BackOff {
  /** Milliseconds to wait now, given how long the last run took. */
  next(ranMs: number): number;
}

/**
 * A kubelet waits 10 s, then twice as long each time, up to 5 min, and forgets after 10 min of health. On one's own machine the next
 * attempt is wanted while one still looks, and nobody else suffers: a twentieth of it all.
 */
const FIRST_MS = 500;
const MAX_MS = 15_000;
const HEALTHY_MS = 30_000;

export function createBackOff(): BackOff {
  let delay = 0;
  return {
    next: (ranMs) => {
      delay = ranMs >= HEALTHY_MS || delay === 0 ? FIRST_MS : Math.min(MAX_MS, delay * 2);
      return delay;
    },
  };
}
