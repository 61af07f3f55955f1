/**
 * How long ago a connection may have had its last request and still be given a request that cannot be repeated.
 *
 * A pod closes connections that were idle for some time, and says so at the earliest when it does. A POST that is
 * written at that moment is lost, and nobody can know whether it ran, so it may not be sent again. The way out is not to
 * come near that moment: a connection is reused for such a request only while its age is less than half of what
 * this pod is known to wait, because it says so (`Keep-Alive: timeout=65`) or because connections of that age were
 * seen alive. Otherwise a fresh connection costs a fraction of a millisecond, and only calls that are rare pay for it.
 */
export interface IdleTrust {
  /** Milliseconds. */
  safeAge(now: number): number;
  /** The pod says that it keeps idle connections for so many seconds. */
  announced(seconds: number | undefined): void;
  /** A connection that was idle for so many milliseconds was still open. */
  survived(ageMs: number): void;
  /** A connection that was idle for so many milliseconds was closed by the pod. */
  closed(ageMs: number, now: number): void;
}

/** Before anything is known. No server waits as little as 10 ms; within a burst connections are reused far sooner. */
const FLOOR_MS = 5;
/** How long a pod that closed a connection is held to it, whatever others of its connections live to see. */
const MEMORY_MS = 60_000;

export function createIdleTrust(): IdleTrust {
  let proven = 0;
  let promised = 0;
  let shortest = Number.POSITIVE_INFINITY;
  let forgetAt = 0;
  return {
    safeAge(now) {
      if (now >= forgetAt) shortest = Number.POSITIVE_INFINITY;
      return Math.max(FLOOR_MS, Math.min(Math.max(proven, promised), shortest) / 2);
    },
    announced(seconds) {
      promised = (seconds ?? 0) * 1000;
    },
    survived(ageMs) {
      if (ageMs > proven) proven = ageMs;
    },
    closed(ageMs, now) {
      proven = Math.min(proven, ageMs);
      shortest = Math.min(now < forgetAt ? shortest : Number.POSITIVE_INFINITY, ageMs);
      forgetAt = now + MEMORY_MS;
    },
  };
}
