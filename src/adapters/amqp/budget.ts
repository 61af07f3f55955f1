/** Bytes of messages in hand: of all consumers of a process, and of one. */
export interface Budget {
  used: number;
  readonly limit: number;
  readonly limitOfOne: number;
}

const MIB = 1024 * 1024;

/** The dispatcher has 512 MiB by the chart: half of them for messages, as they came and once more on their way out. */
export const createBudget = (): Budget => ({ used: 0, limit: 128 * MIB, limitOfOne: 32 * MIB });

/** So many messages are taken at first, whatever the prefetch: how large they are is known only then. */
const FIRST_WINDOW = 32;

/** What of a channel counts here: the bytes of the messages that came over it and are in hand. */
interface Hand {
  bytes: number;
  readonly closed: boolean;
}

/** How much one consumer may take. */
export interface Intake {
  /** Too much is in hand: no more until half of it is done. */
  readonly isFull: boolean;
  /** Messages that may be in hand at once. */
  window(): number;
  took(length: number, hand: Hand): void;
  gave(length: number, hand: Hand): void;
  /** All that is in hand is lost. */
  dropped(hand: Hand): void;
}

/** @param changed told when `isFull` or the window is another than was asked for */
export function createIntake(prefetch: number, budget: Budget, changed: () => void): Intake {
  let largest = 0;
  let seen = 0;
  let isFull = false;
  let asked = Math.min(FIRST_WINDOW, prefetch);
  const fitting = (): number =>
    Math.max(1, Math.min(prefetch, Math.floor(budget.limitOfOne / Math.max(1, largest))));
  return {
    get isFull() {
      return isFull;
    },
    window() {
      if (seen >= FIRST_WINDOW) asked = fitting();
      return asked;
    },
    took(length, hand) {
      hand.bytes += length;
      budget.used += length;
      largest = Math.max(largest, length);
      seen += 1;
      const wasFull = isFull;
      isFull ||= hand.bytes > budget.limitOfOne || budget.used > budget.limit;
      const isTooWide = fitting() < asked / 2;
      // Before that many were seen as well: the first ones may be the largest.
      if (isTooWide) seen = Math.max(seen, FIRST_WINDOW);
      if ((isFull && !wasFull) || isTooWide || (seen === FIRST_WINDOW && fitting() !== asked)) changed();
    },
    gave(length, hand) {
      if (hand.closed) return;
      hand.bytes -= length;
      budget.used -= length;
      const isLow =
        hand.bytes <= budget.limitOfOne / 2 && (budget.used <= budget.limit / 2 || hand.bytes === 0);
      if (!isFull || !isLow) return;
      isFull = false;
      changed();
    },
    dropped(hand) {
      budget.used -= hand.bytes;
      isFull = false;
    },
  };
}
