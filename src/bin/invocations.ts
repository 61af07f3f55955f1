import { openPostgresInvocationLog } from '../adapters/invocation-log/postgres.ts';
import type { Config } from '../config/config.ts';
import { createRecordedLog, type RecordedLog } from '../invocations/recorded-log.ts';
import type { Logger } from '../ports/logger.ts';

/** Opens the log of calls where the installation has a database, which may be away then. */
export function openInvocations(
  { databaseUrl }: Config,
  logger: Logger,
  options: { readonly retentionDays?: number } = {},
): RecordedLog | undefined {
  if (databaseUrl === undefined) return undefined;
  return createRecordedLog(
    openPostgresInvocationLog({ url: databaseUrl, logger }),
    { clock: Date, logger },
    options,
  );
}
