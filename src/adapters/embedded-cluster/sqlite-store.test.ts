import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { KubeObject } from '../../resources/kube/object.ts';
import { StateUnreadable } from '../sqlite-file.ts';
import { createSqliteStore } from './sqlite-store.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sless-store-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const file = () => join(folder, 'state', 'cluster.db');
const object = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  data: { k: 'dg==' },
});

test('what was saved is loaded by the next store, with the revision', () => {
  const first = createSqliteStore(file());
  first.save({ revision: 1, put: { key: 'a', object: object('a') } });
  first.save({ revision: 2, put: { key: 'b', object: object('b') } });
  first.save({ revision: 3, put: { key: 'a', object: object('a2') } });
  first.save({ revision: 4, remove: 'b' });
  first.close();
  const second = createSqliteStore(file());
  expect(second.load()).toEqual({ revision: 4, objects: [object('a2')] });
  second.close();
});

test('nobody else may read the files, the log among them', () => {
  const store = createSqliteStore(file());
  store.save({ revision: 1, put: { key: 'a', object: object('a') } });
  const names = readdirSync(join(folder, 'state'));
  expect(names).toContain('cluster.db-wal');
  for (const name of names) expect(statSync(join(folder, 'state', name)).mode & 0o077).toBe(0);
  expect(statSync(join(folder, 'state')).mode & 0o077).toBe(0);
  store.close();
});

test('a file of another format is refused, not guessed at', () => {
  createSqliteStore(file()).close();
  const db = new DatabaseSync(file());
  db.exec("UPDATE meta SET value = 99 WHERE name = 'format'");
  db.close();
  expect(() => createSqliteStore(file())).toThrow(/format 99/);
});

test.each([
  ['cut in half', () => truncateSync(file(), statSync(file()).size / 2)],
  ['something else', () => writeFileSync(file(), 'no database at all, but text. '.repeat(100))],
  [
    'edited by hand',
    () => {
      const db = new DatabaseSync(file());
      db.exec("UPDATE objects SET object = '{hush'");
      db.close();
    },
  ],
])('a file that is %s is said to be unreadable, by its name', (_, damage) => {
  const store = createSqliteStore(file());
  for (let i = 1; i <= 50; i++)
    store.save({ revision: i, put: { key: `${i}`, object: object('x'.repeat(1000)) } });
  store.close();
  damage();
  const read = () => createSqliteStore(file()).load();
  expect(read).toThrow(StateUnreadable);
  expect(read).toThrow(`${file()} is damaged`);
  expect(read).not.toThrow(/hush/);
});

test('a write that fails is Unavailable and leaves what was there', () => {
  const store = createSqliteStore(file());
  store.save({ revision: 1, put: { key: 'a', object: object('a') } });
  const circular: Record<string, unknown> = { ...object('b') };
  circular.self = circular;
  expect(() =>
    store.save({ revision: 2, put: { key: 'b', object: circular as unknown as KubeObject } }),
  ).toThrow(expect.objectContaining({ code: 'Unavailable' }));
  expect(store.load()).toEqual({ revision: 1, objects: [object('a')] });
  store.save({ revision: 2, put: { key: 'c', object: object('c') } });
  expect(store.load().revision).toBe(2);
  store.close();
});
