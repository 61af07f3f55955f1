import { setTimeout as sleep } from 'node:timers/promises';

/** What is waited for, and for how long. */
export interface Wait<T> {
  /** What the error says was missing, such as `the Function is Ready`. */
  readonly for: string;
  /** The state now. What it throws counts as a state that does not hold. */
  readonly look: () => Promise<T> | T;
  readonly holds: (state: T) => boolean;
  readonly timeoutMs?: number;
  readonly intervalMs?: number;
}

/** Longer than anything in a test cluster should take, shorter than a test may. */
const TIMEOUT_MS = 60_000;
const INTERVAL_MS = 100;

/** The first state that holds. After the deadline: an Error with the last state that was seen. */
export async function waitFor<T>(wait: Wait<T>): Promise<T> {
  const timeoutMs = wait.timeoutMs ?? TIMEOUT_MS;
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const seen = await observe(wait);
    if (seen.holds) return seen.state;
    if (Date.now() >= deadline)
      throw new Error(`not within ${timeoutMs / 1000} s: ${wait.for}; last seen: ${seen.words}`);
    await sleep(wait.intervalMs ?? INTERVAL_MS);
  }
}

type Seen<T> =
  | { readonly holds: true; readonly state: T }
  | { readonly holds: false; readonly words: string };

async function observe<T>({ look, holds }: Wait<T>): Promise<Seen<T>> {
  try {
    const state = await look();
    return holds(state) ? { holds: true, state } : { holds: false, words: words(state) };
  } catch (error) {
    return { holds: false, words: String(error) };
  }
}

/** Enough to see what was wrong; managed fields drown it. */
const MAX_WORDS = 4_000;

function words(state: unknown): string {
  const text = JSON.stringify(state, (key, value) => (key === 'managedFields' ? undefined : value), 1);
  return String(text).slice(0, MAX_WORDS);
}
