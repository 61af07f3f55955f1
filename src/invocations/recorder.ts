import { isSlessError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Invocation, InvocationLog } from '../ports/invocation-log.ts';
import type { Logger } from '../ports/logger.ts';

/** Takes records in, and never makes the caller wait or fail. */
export interface InvocationRecorder {
  record(invocation: Invocation): void;
  stats(): RecorderStats;
  /** Writes what waits, for so many milliseconds at most. */
  close(withinMs: number): Promise<void>;
}

export interface RecorderStats {
  readonly written: number;
  /** Records that found no room while the log was away. */
  readonly dropped: number;
  readonly waiting: number;
  /** Whether the last try to write succeeded. */
  readonly connected: boolean;
}

interface RecorderDeps {
  readonly log: Pick<InvocationLog, 'append'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface RecorderOptions {
  /** Records in memory at most: some 300 bytes each. */
  readonly capacity: number;
  /** Records of one write at most. */
  readonly batch: number;
  /** How long a record waits for others to be written with. */
  readonly lingerMs: number;
  /** After a failed write; it doubles up to a minute. */
  readonly retryMs: number;
}

/** At 2,000 calls a second: a write of 500 every quarter of a second, and 50 s of a database that is away. */
export const RECORDER_DEFAULTS: RecorderOptions = {
  capacity: 100_000,
  batch: 500,
  lingerMs: 250,
  retryMs: 500,
};

const MAX_RETRY_MS = 60_000;

/**
 * Writes records in batches, one batch at a time. While the log is away the newest records beyond the room are dropped,
 * counted, and said once; what waits is written when it is back.
 */
export function createInvocationRecorder(
  { log, clock, logger }: RecorderDeps,
  options: RecorderOptions = RECORDER_DEFAULTS,
): InvocationRecorder {
  const { capacity, batch, lingerMs, retryMs } = options;
  let waiting: Invocation[] = [];
  let written = 0;
  let dropped = 0;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;

  const schedule = (milliseconds: number): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      writing = write().finally(() => {
        writing = undefined;
        if (waiting.length > 0) schedule(nextWait());
      });
    }, milliseconds);
  };
  const nextWait = (): number => {
    if (failures > 0) return Math.min(MAX_RETRY_MS, retryMs * 2 ** Math.min(failures - 1, 16));
    return waiting.length >= batch ? 0 : lingerMs;
  };
  const write = async (): Promise<void> => {
    const records = waiting.slice(0, batch);
    try {
      await log.append(records);
      written += records.length;
      if (failures > 0) logger.info({ dropped }, 'the invocation log takes records again');
      failures = 0;
    } catch (error) {
      if (isSlessError(error, 'Unavailable')) {
        failures++;
        if (failures === 1) logger.warn({ err: error }, 'the invocation log takes no records: they wait');
        return;
      }
      // Records that can never be written must not stand before those that can.
      dropped += records.length;
      logger.error({ err: error, dropped: records.length }, 'the invocation log refuses records');
    }
    waiting.splice(0, records.length);
  };
  const push = (invocation: Invocation): void => {
    if (waiting.length >= capacity) {
      dropped++;
      return;
    }
    waiting.push(invocation);
    if (writing === undefined) schedule(nextWait());
  };
  return {
    record: push,
    stats: () => ({ written, dropped, waiting: waiting.length, connected: failures === 0 }),
    close: async (withinMs) => {
      const late = clock.now() + withinMs;
      clearTimeout(timer);
      timer = undefined;
      await writing;
      while (waiting.length > 0 && clock.now() < late && failures < 2) await write();
      clearTimeout(timer);
      dropped += waiting.length;
      if (waiting.length > 0)
        logger.warn({ lost: waiting.length }, 'records of invocations are lost at the end');
      waiting = [];
    },
  };
}
