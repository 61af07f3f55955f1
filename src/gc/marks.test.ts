import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDirectoryStore } from '../adapters/directory-store.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import { claimMarks, writeMarks } from './marks.ts';

const KEY = 'gc/unused.json';
const SINCE = new Map([['contexts/team/hello/v1', '2026-03-01T00:00:00.000Z']]);
let folder: string;
let store: ObjectStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sless-marks-'));
  store = await openDirectoryStore({ folder });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a cluster finds its own marks again', async () => {
  expect(await claimMarks(store, 'a')).toEqual(new Map());
  await writeMarks(store, SINCE, 'a');
  expect(await claimMarks(store, 'a')).toEqual(SINCE);
});

test('marks from before clusters had names are taken over', async () => {
  const body = Buffer.from(JSON.stringify({ version: 1, since: Object.fromEntries(SINCE) }));
  await store.put(KEY, body, { size: body.length });
  expect(await claimMarks(store, 'a')).toEqual(SINCE);
});

test('of two clusters that share a bucket neither throws anything away until somebody deletes the marks', async () => {
  await writeMarks(store, SINCE, 'a');
  await expect(claimMarks(store, 'b')).rejects.toThrow('marks of another cluster (a; this is b)');
  await expect(claimMarks(store, 'a')).rejects.toThrow('marks of another cluster (b; this is a)');
  await expect(claimMarks(store, 'b')).rejects.toThrow('delete that object');
  await store.delete(KEY);
  expect(await claimMarks(store, 'b')).toEqual(new Map());
});
