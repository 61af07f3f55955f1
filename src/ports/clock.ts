/** Where the time comes from, so that tests can say what it is. */
export interface Clock {
  /** Milliseconds since 1970, as `Date.now()`. */
  now(): number;
}
