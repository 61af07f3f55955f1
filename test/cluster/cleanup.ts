/** What must be undone after a test, whatever became of it. */
export interface Cleanup {
  /** Adds an undoing; the last one added is the first one done. */
  add(what: string, undo: () => unknown): void;
  /** Undoes everything, what fails or hangs notwithstanding, and then says what did. */
  run(): Promise<void>;
}

/** Longer than a process takes to end in order. */
const EACH_MS = 30_000;

export function createCleanup(eachMs = EACH_MS): Cleanup {
  const steps: { readonly what: string; readonly undo: () => unknown }[] = [];
  return {
    add: (what, undo) => void steps.push({ what, undo }),
    run: async () => {
      const failures: unknown[] = [];
      for (const { what, undo } of steps.splice(0).reverse()) {
        const outcome = await bounded(undo, eachMs).catch((error: unknown) => ({ error }));
        if (outcome !== undefined) failures.push(new Error(`not undone: ${what}`, { cause: outcome.error }));
      }
      if (failures.length > 0) throw new AggregateError(failures, failures.join('; '));
    },
  };
}

async function bounded(undo: () => unknown, milliseconds: number): Promise<undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${milliseconds} ms`)), milliseconds);
  });
  try {
    await Promise.race([(async () => undo())(), late]);
  } finally {
    clearTimeout(timer);
  }
}
