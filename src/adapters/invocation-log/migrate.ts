import { resolve } from 'node:path';
import { runner } from 'node-pg-migrate';
import type { ClientBase } from 'pg';
import type { Logger } from '../../ports/logger.ts';

const FOLDER = resolve(import.meta.dirname, '../../../migrations');
/** Any number of our own. The library's lock fails whoever comes second; ours lets them wait. */
const LOCK = 7_353_773;

/** Brings the tables up to this version. Processes that start at once wait for the first one, and find nothing to do. */
export async function migrate(client: ClientBase, logger: Logger): Promise<void> {
  await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
  try {
    await runner({
      dbClient: client,
      dir: FOLDER,
      migrationsTable: 'sless_migrations',
      direction: 'up',
      noLock: true,
      log: () => {},
      logger: {
        info: (line) => logger.debug({}, line),
        warn: (line) => logger.warn({}, line),
        error: (line) => logger.error({}, line),
      },
    });
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [LOCK]);
  }
}
