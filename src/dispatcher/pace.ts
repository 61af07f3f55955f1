/**
 * How many calls a consumer has under way. It begins with all that the prefetch allows; a function that is busy halves it and
 * makes everyone wait a moment, each call that is dealt with raises it a little, as TCP finds the width of a path.
 */
export interface Pace {
  /** Whether another call may start beside `running`. */
  allows(running: number, now: number): boolean;
  /** Milliseconds until the pause is over; 0 while there is none. */
  pause(now: number): number;
  /** Calls that may be under way. */
  readonly width: number;
  succeeded(): void;
  /** The function took no call: it is busy, or nothing listens. */
  refused(running: number, now: number): void;
  /** Since when nothing but refusals came; `undefined` while calls are taken. */
  readonly busySince: number | undefined;
}

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5000;

/** @param random numbers from 0 to 1: several dispatchers shall not knock together */
export function createPace(prefetch: number, random: () => number): Pace {
  let limit = prefetch;
  let streak = 0;
  let until = 0;
  let busySince: number | undefined;
  return {
    allows: (running, now) => running < Math.floor(limit) && now >= until,
    pause: (now) => Math.max(0, until - now),
    get width() {
      return Math.floor(limit);
    },
    succeeded() {
      limit = Math.min(prefetch, limit + 1 / limit);
      streak = 0;
      busySince = undefined;
    },
    refused(running, now) {
      busySince ??= now;
      // Calls that were under way together are refused together, and say one thing.
      if (now < until) return;
      limit = Math.max(1, Math.min(limit / 2, running));
      until = now + Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** streak) * (0.5 + random());
      streak = Math.min(streak + 1, 10);
    },
    get busySince() {
      return busySince;
    },
  };
}
