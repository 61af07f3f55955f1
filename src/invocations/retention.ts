import type { Clock } from '../ports/clock.ts';
import type { InvocationLog } from '../ports/invocation-log.ts';
import type { Logger } from '../ports/logger.ts';

interface RetentionDeps {
  readonly log: Pick<InvocationLog, 'forget'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface RetentionOptions {
  readonly days: number;
  readonly everyMs?: number;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Forgets what is too old, now and every hour. Any number of processes may do so. @returns ends it */
export function keepRetention(
  { log, clock, logger }: RetentionDeps,
  { days, everyMs = HOUR_MS }: RetentionOptions,
): () => void {
  const forget = (): void => {
    log.forget(clock.now() - days * DAY_MS).catch((error: unknown) => {
      logger.warn({ err: error }, 'old records of calls could not be forgotten; the next hour tries again');
    });
  };
  forget();
  const timer = setInterval(forget, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
