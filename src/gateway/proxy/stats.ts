import type { ErrorCode } from '../../errors.ts';

/** Upper bounds of the buckets of a call's duration, in seconds. */
export const DURATION_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
] as const;

/**
 * What was counted of one function's calls. Plain numbers that a collector reads when it is asked: a metrics library
 * in the path of a call would cost more than the rest of the bookkeeping together.
 */
export interface RouteStats {
  readonly namespace: string;
  readonly name: string;
  inFlight: number;
  /** Calls by the class of their status: index 1 is 1xx (101), 5 is 5xx. Index 0: the caller left before an answer. */
  readonly byClass: number[];
  /** Not cumulative; the last one is for everything beyond the largest bound. */
  readonly buckets: number[];
  durationSum: number;
  bytesIn: number;
  bytesOut: number;
}

/** What the proxy counts in all. */
export interface ProxyStats {
  readonly routes: () => Iterable<Readonly<RouteStats>>;
  /** Answers that the proxy gave in the function's place, by their code. */
  readonly refused: ReadonlyMap<ErrorCode, number>;
}

export function createRouteStats(namespace: string, name: string): RouteStats {
  return {
    namespace,
    name,
    inFlight: 0,
    byClass: [0, 0, 0, 0, 0, 0],
    buckets: new Array(DURATION_BUCKETS.length + 1).fill(0),
    durationSum: 0,
    bytesIn: 0,
    bytesOut: 0,
  };
}

/** What became of a call. */
export interface CallReport {
  /** 0 when the caller left before an answer. */
  readonly status: number;
  /** Why the function gave no answer of its own, or none to its end. */
  readonly reason: ErrorCode | undefined;
  readonly milliseconds: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

/** Counts a call that ended. */
export function countCall(stats: RouteStats, { status, milliseconds, bytesIn, bytesOut }: CallReport): void {
  const seconds = milliseconds / 1000;
  stats.inFlight -= 1;
  stats.bytesIn += bytesIn;
  stats.bytesOut += bytesOut;
  const index = Math.min(5, Math.floor(status / 100));
  stats.byClass[index] = (stats.byClass[index] ?? 0) + 1;
  let bucket = 0;
  while (bucket < DURATION_BUCKETS.length && seconds > (DURATION_BUCKETS[bucket] ?? 0)) bucket += 1;
  stats.buckets[bucket] = (stats.buckets[bucket] ?? 0) + 1;
  stats.durationSum += seconds;
}
