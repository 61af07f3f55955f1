import type { InvocationLog } from '../../ports/invocation-log.ts';
import { openPrivately, reading, transact } from '../sqlite-file.ts';
import { conditionsOf } from './conditions.ts';
import { pageOf } from './cursor.ts';
import { COLUMNS, invocationOf, valuesOf } from './row.ts';

const TABLE = `
  CREATE TABLE IF NOT EXISTS invocations (
    id TEXT PRIMARY KEY, namespace TEXT NOT NULL, function TEXT NOT NULL, trigger TEXT NOT NULL, trigger_name TEXT,
    started_at INTEGER NOT NULL, duration_ms REAL NOT NULL, outcome TEXT NOT NULL, status INTEGER, reason TEXT,
    bytes_in INTEGER NOT NULL, bytes_out INTEGER NOT NULL, attempt INTEGER NOT NULL, request_id TEXT, trace_id TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS invocations_page ON invocations (namespace, function, started_at DESC, id DESC);
  CREATE INDEX IF NOT EXISTS invocations_age ON invocations (started_at);
`;

/** The log of local mode: one SQLite file, this user's alone, or `:memory:`. One process a file. */
export function openSqliteInvocationLog(path: string): InvocationLog {
  const db = reading(path, () => openPrivately(path, (opened) => opened.exec(TABLE)));
  const insert = db.prepare(
    `INSERT OR IGNORE INTO invocations (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})`,
  );
  const one = db.prepare('SELECT * FROM invocations WHERE id = ? AND namespace = ? AND function = ?');
  const forget = db.prepare('DELETE FROM invocations WHERE started_at < ?');
  return {
    append: async (records) => {
      try {
        transact(db, () => {
          for (const record of records) insert.run(...valuesOf(record));
        });
      } catch (error) {
        throw isRefusal(error) ? error.cause : error;
      }
    },
    get: async ({ id, namespace, function: name }) => {
      const row = one.get(id, namespace, name);
      return row === undefined ? undefined : invocationOf(row);
    },
    list: async (query, { limit, cursor }) => {
      const conditions = conditionsOf(query, { moment: '?', cursor });
      const rows = db
        .prepare(
          `SELECT * FROM invocations WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}
           ORDER BY started_at DESC, id DESC LIMIT ?`,
        )
        .all(...conditions.flatMap(({ values }) => values), limit + 1);
      return pageOf(rows.map(invocationOf), limit);
    },
    forget: async (before) => void forget.run(before),
    close: async () => db.close(),
  };
}

/** SQLite's code of what breaks a rule of the table (19): the record is wrong, and not the disk. */
function isRefusal(error: unknown): error is Error {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'errcode' in cause && (Number(cause.errcode) & 0xff) === 19;
}
