/** How long a message waits between two tries. */
export interface DelaySettings {
  readonly firstMs: number;
  readonly maxMs: number;
}

export const DELAYS: DelaySettings = { firstMs: 1000, maxMs: 300_000 };

/**
 * Parts of a step, of which each message takes one by chance: what failed together is not tried again together. Few and fixed,
 * since each length of delay is a queue of its own.
 */
const PARTS = [0.75, 1, 1.25] as const;

/**
 * The delay after that many tries: doubled each time.
 *
 * @param random a number from 0 to 1, without 1
 */
export function delayAfter(
  tries: number,
  random: number,
  { firstMs, maxMs }: DelaySettings = DELAYS,
): number {
  const step = Math.min(maxMs, firstMs * 2 ** Math.min(30, tries - 1));
  return Math.round(step * (PARTS[Math.floor(random * PARTS.length)] ?? 1));
}
