import { DatabaseError, Pool, type PoolClient } from 'pg';
import { z } from 'zod';
import { isSlessError, SlessError } from '../../errors.ts';
import type { Invocation, InvocationLog } from '../../ports/invocation-log.ts';
import type { Logger } from '../../ports/logger.ts';
import { conditionsOf } from './conditions.ts';
import { pageOf } from './cursor.ts';
import { migrate } from './migrate.ts';
import { createPartitions, dayOf, dropBefore } from './partitions.ts';
import { COLUMNS, invocationOf } from './row.ts';

interface PostgresOptions {
  /** `postgres://user:password@host/database`. */
  readonly url: string;
  readonly logger: Logger;
}

/** Connections of one process: writes come one batch at a time, the rest is for who reads. */
const MAX_CONNECTIONS = 4;
const CONNECT_MS = 5000;
/** A page or a batch takes milliseconds; whatever takes this long is in somebody's way. */
const STATEMENT_MS = 15_000;

const UUID = z.uuid();
const MOMENT = 'to_timestamp(?::double precision / 1000)';
const SELECTED = COLUMNS.map((column) =>
  column === 'started_at' ? 'round(extract(epoch FROM started_at) * 1000) AS started_at' : column,
).join(', ');
/** The members of a record by the columns that keep them, each with its type. */
const GIVEN = [
  ['id', 'id', 'uuid'],
  ['namespace', 'namespace', 'text'],
  ['function', 'function', 'text'],
  ['trigger', 'trigger', 'text'],
  ['triggerName', 'trigger_name', 'text'],
  ['startedAt', 'started_at', 'double precision'],
  ['durationMs', 'duration_ms', 'double precision'],
  ['outcome', 'outcome', 'text'],
  ['status', 'status', 'smallint'],
  ['reason', 'reason', 'text'],
  ['bytesIn', 'bytes_in', 'bigint'],
  ['bytesOut', 'bytes_out', 'bigint'],
  ['attempt', 'attempt', 'integer'],
  ['requestId', 'request_id', 'text'],
  ['traceId', 'trace_id', 'text'],
] as const satisfies readonly (readonly [keyof Invocation, string, string])[];

/**
 * A batch is one JSON text: JSON.stringify costs this process a tenth of what a list of values does, which pg escapes one by one. The
 * statement is the same for every size of batch, and is prepared once.
 */
const INSERT = `
  INSERT INTO sless_invocations (${GIVEN.map(([, column]) => column).join(', ')})
  SELECT ${GIVEN.map(([member]) => (member === 'startedAt' ? `to_timestamp(floor("startedAt") / 1000)` : `"${member}"`)).join(', ')}
  FROM json_to_recordset($1::json) AS given (${GIVEN.map(([member, , type]) => `"${member}" ${type}`).join(', ')})
  ON CONFLICT DO NOTHING`;

/**
 * The log in PostgreSQL (13 or later), a partition a day. Tables are made at the first use, by whichever process comes
 * first; so the database may be away when a service starts.
 */
export function openPostgresInvocationLog({ url, logger }: PostgresOptions): InvocationLog {
  const pool = new Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    application_name: 'sless',
    allowExitOnIdle: true,
  });
  // An idle connection that breaks is replaced at the next use.
  pool.on('error', (error) => logger.debug({ err: error }, 'a connection to the invocation log broke'));
  // One that breaks in use fails its statement; without a listener it would end the process as well.
  pool.on('connect', (client) => client.on('error', () => {}));
  const days = new Set<string>();
  let migrated: Promise<void> | undefined;
  const use = async <T>(work: (client: PoolClient) => Promise<T>): Promise<T> => {
    try {
      migrated ??= withClient(pool, (client) => migrate(client, logger));
      await migrated.catch((error: unknown) => {
        migrated = undefined;
        throw error;
      });
      return await withClient(pool, work);
    } catch (error) {
      throw translated(error);
    }
  };
  return {
    append: (records) =>
      use(async (client) => {
        await createPartitions(client, {
          days: records.map(({ startedAt }) => dayOf(startedAt)),
          known: days,
        });
        await client.query({ name: 'sless-append', text: INSERT, values: [JSON.stringify(records)] });
      }),
    get: async ({ id, namespace, function: name }) => {
      if (!UUID.safeParse(id).success) return undefined;
      return use(async (client) => {
        const text = `SELECT ${SELECTED} FROM sless_invocations WHERE id = $1 AND namespace = $2 AND function = $3`;
        const { rows } = await client.query(text, [id, namespace, name]);
        return rows[0] === undefined ? undefined : invocationOf(rows[0]);
      });
    },
    list: (query, { limit, cursor }) =>
      use(async (client) => {
        const conditions = conditionsOf(query, { moment: MOMENT, cursor });
        const values = [...conditions.flatMap((condition) => condition.values), limit + 1];
        const { rows } = await client.query(numbered(listing(conditions.map(({ sql }) => sql))), values);
        return pageOf(rows.map(invocationOf), limit);
      }),
    forget: (before) => use((client) => dropBefore(client, { before, known: days })),
    close: () => pool.end(),
  };
}

/** What is wrong with a statement or a value stays an error of ours; everything else is the database's being away. */
function translated(error: unknown): unknown {
  if (isSlessError(error) || (error instanceof DatabaseError && /^(22|23|42)/.test(error.code ?? '')))
    return error;
  return new SlessError('Unavailable', 'the database of the invocation log cannot be used', { cause: error });
}

async function withClient<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    const result = await work(client);
    client.release();
    return result;
  } catch (error) {
    // A connection on which something went wrong may be in the middle of a transaction.
    client.release(true);
    throw error;
  }
}

const listing = (conditions: readonly string[]): string =>
  `SELECT ${SELECTED} FROM sless_invocations WHERE ${conditions.join(' AND ')}
   ORDER BY sless_invocations.started_at DESC, id DESC LIMIT ?`;

/** `?` as PostgreSQL counts them. */
function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll('?', () => `$${++count}`);
}
