/**
 * Calls under way for one Trigger. A Trigger that is changed has a consumer anew, while calls of the one before still run: together they are no
 * more than its prefetch.
 */
export interface Lane {
  readonly running: number;
  began(): void;
  ended(): void;
  /** Tells all who follow that a call has ended. */
  freed(): void;
  /** Answers how to follow no more. */
  follow(told: () => void): () => void;
}

export function createLane(): Lane {
  const followers = new Set<() => void>();
  let running = 0;
  return {
    get running() {
      return running;
    },
    began() {
      running += 1;
    },
    ended() {
      running -= 1;
    },
    freed() {
      for (const told of [...followers]) told();
    },
    follow(told) {
      followers.add(told);
      return () => void followers.delete(told);
    },
  };
}
