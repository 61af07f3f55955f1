import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../ports/clock.ts';

/** Below the time limits that load balancers and clients have by default (60 s). */
const WAIT_MS = 30_000;
const FIRST_PAUSE_MS = 25;
const LAST_PAUSE_MS = 1000;

interface Waiting {
  readonly clock: Clock;
  /** How long at most; half a minute where nothing is said. */
  readonly waitMs: number | undefined;
  /** Ends it when the caller leaves. */
  readonly signal: AbortSignal;
}

/** Asks until what was deleted is gone. False when that took too long. */
export async function waitUntilGone(isGone: () => Promise<boolean>, waiting: Waiting): Promise<boolean> {
  const { clock, waitMs = WAIT_MS, signal } = waiting;
  const deadline = clock.now() + waitMs;
  let pause = FIRST_PAUSE_MS;
  while (!(await isGone())) {
    if (clock.now() >= deadline || signal.aborted) return false;
    await delay(pause);
    pause = Math.min(LAST_PAUSE_MS, pause * 2);
  }
  return true;
}
