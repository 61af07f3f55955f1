/** Lengths of time: it never goes back or leaps, whoever sets the machine's clock. */
export interface MonotonicClock {
  /** Milliseconds since some moment of this process, as `performance.now()`. */
  now(): number;
}

/** Where the time comes from, so that tests can say what it is. */
export interface Clock {
  /** Milliseconds since 1970, as `Date.now()`. */
  now(): number;
}
