import { randomUUID } from 'node:crypto';
import type { Clock } from '../ports/clock.ts';
import type { Invocation, InvocationLog } from '../ports/invocation-log.ts';
import type { Logger } from '../ports/logger.ts';
import { metricsText } from './metrics-text.ts';
import { createInvocationRecorder } from './recorder.ts';
import { keepRetention } from './retention.ts';

/** A log of calls, and the way into it for who must not wait. */
export interface RecordedLog {
  readonly log: InvocationLog;
  record(call: Invocation): void;
  readonly clock: Clock;
  readonly newId: () => string;
  /** In the Prometheus text format. */
  metrics(): string;
  /** Writes what waits, and closes the log. */
  close(): Promise<void>;
}

interface RecordedLogOptions {
  /** For how many days records are kept, where this process sees to it. */
  readonly retentionDays?: number;
}

/** Of a pod's end, once its calls are over, so much is left for what became of them. */
const WRITE_MS = 2000;

export function createRecordedLog(
  log: InvocationLog,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  { retentionDays }: RecordedLogOptions = {},
): RecordedLog {
  const recorder = createInvocationRecorder({ log, clock, logger });
  const endRetention =
    retentionDays === undefined ? undefined : keepRetention({ log, clock, logger }, { days: retentionDays });
  return {
    log,
    record: recorder.record,
    clock,
    newId: randomUUID,
    metrics: () => metricsText(recorder.stats()),
    close: async () => {
      endRetention?.();
      await recorder.close(WRITE_MS);
      await log.close();
    },
  };
}
