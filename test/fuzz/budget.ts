/** Seconds that each property is tried for; absent in `npm test`, where each has so many runs. */
const seconds = Number(process.env.FUZZ_SECONDS ?? 0);

/** Far more than anyone waits for: the time ends it before. */
const ENDLESS = 2 ** 31 - 1;

/**
 * How long a property of fast-check is tried: so many runs, or `FUZZ_SECONDS` where that is set (`npm run fuzz`). A run that fails says its
 * seed; `FUZZ_SEED` plays it again.
 */
export function budget(runs: number): {
  readonly numRuns: number;
  readonly seed?: number;
  readonly interruptAfterTimeLimit?: number;
  readonly markInterruptAsFailure?: false;
} {
  const seed = process.env.FUZZ_SEED === undefined ? {} : { seed: Number(process.env.FUZZ_SEED) };
  if (seconds === 0) return { numRuns: runs, ...seed };
  return {
    numRuns: ENDLESS,
    interruptAfterTimeLimit: seconds * 1000,
    markInterruptAsFailure: false,
    ...seed,
  };
}

/** The time limit of a test with one property: its own, and the budget beside it. */
export const timeLimit = (milliseconds: number): number => milliseconds + seconds * 1000;
