import { z } from 'zod';
import type { KubeObject } from './object.ts';

/** What a Function's pods hold one call, and calls at once, to. */
export interface CallLimits {
  readonly timeoutSeconds: number;
  /** Calls at once in one pod. */
  readonly concurrency: number;
}

const DEFAULTS: CallLimits = { timeoutSeconds: 60, concurrency: 100 };

// A bad spec leaves the last good version running, and whoever may write status may write nonsense: each field is read for itself.
const limits = z
  .object({
    timeoutSeconds: z.int().min(1).max(3600).optional().catch(undefined),
    concurrency: z.int().min(1).max(1000).optional().catch(undefined),
  })
  .catch({ timeoutSeconds: undefined, concurrency: undefined });

/**
 * The limits that the pods of a Function were given, which status says: while a build runs or has failed, a version is rolled
 * out or does not start, or the spec is refused, they are not those of the spec. Those of the spec where status is new or
 * was lost, until the next sync.
 */
export function callLimitsOf(fn: KubeObject | undefined): CallLimits {
  const [given, wanted] = [limits.parse(fn?.status), limits.parse(fn?.spec)];
  return {
    timeoutSeconds: given.timeoutSeconds ?? wanted.timeoutSeconds ?? DEFAULTS.timeoutSeconds,
    concurrency: given.concurrency ?? wanted.concurrency ?? DEFAULTS.concurrency,
  };
}
