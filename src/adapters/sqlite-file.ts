import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SlessError } from '../errors.ts';

/** The file is no state that this version can read. It stays as it is: what becomes of it is for its owner to say. */
export class StateUnreadable extends Error {}

/**
 * Opens a file that is this user's alone, with a write-ahead log. `prepare` makes its tables, or refuses what is in it.
 *
 * @param path of the file, or SQLite's `:memory:`, which is no file
 */
export function openPrivately(path: string, prepare: (db: DatabaseSync) => void): DatabaseSync {
  if (path !== ':memory:') makePrivate(path);
  const db = new DatabaseSync(path);
  try {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
    prepare(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** SQLite gives its log the mode of the database, so the database must be private before it is opened. */
function makePrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}

/**
 * SQLite's result codes of a file that is malformed (11), of one that is none of its own (26), and of a log beside it that
 * cannot be opened (14), such as a folder.
 */
const DAMAGED: ReadonlySet<number> = new Set([11, 14, 26]);

/** @throws StateUnreadable for what `read` finds damaged */
export function reading<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!isDamage(cause)) throw cause;
    // V8 quotes the text around a mistake, and Secrets are among the objects.
    const why = cause instanceof SyntaxError ? 'an object in it is not JSON' : cause.message;
    throw new StateUnreadable(`${path} is damaged (${why})`, { cause });
  }
}

/** The low byte of an extended code is its kind. */
function isDamage(error: unknown): error is Error {
  if (error instanceof SyntaxError) return true;
  return error instanceof Error && 'errcode' in error && DAMAGED.has(Number(error.errcode) & 0xff);
}

/** All of it or nothing. @throws SlessError `Unavailable` */
export function transact(db: DatabaseSync, work: () => void): void {
  try {
    db.exec('BEGIN IMMEDIATE');
    work();
    db.exec('COMMIT');
  } catch (cause) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw new SlessError('Unavailable', 'the state could not be written to disk', { cause });
  }
}
