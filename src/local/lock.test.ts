import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AlreadyRunning, lockHolder, takeLock } from './lock.ts';
import { processIdentity } from './process/identity.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sless-lock-'));
  path = join(folder, 'lock');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('is held until it is released, and says by whom', async () => {
  const lock = await takeLock(path);
  expect(await lockHolder(path)).toBe(process.pid);
  await expect(takeLock(path)).rejects.toMatchObject({ pid: process.pid });
  lock.release();
  expect(await lockHolder(path)).toBeUndefined();
  expect(await readdir(folder)).toEqual([]);
  (await takeLock(path)).release();
});

test('of many that want it at once exactly one gets it', async () => {
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => takeLock(path)));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test.each([
  ['a process that is gone', async () => ({ pid: 2 ** 22 + 1, identity: 'x' })],
  ['a process that began at another time', async () => ({ pid: process.pid, identity: 'another boot/1' })],
])('is taken from %s', async (_whom, holder) => {
  await writeFile(path, JSON.stringify(await holder()));
  expect(await lockHolder(path)).toBeUndefined();
  await takeLock(path);
  expect(await lockHolder(path)).toBe(process.pid);
});

test('is taken over what a power cut left of it', async () => {
  for (const text of ['', '{"pid":', 'null']) {
    await writeFile(path, text);
    (await takeLock(path)).release();
  }
});

test('is not taken from a living process', async () => {
  const other = spawn('sleep', ['60'], { stdio: 'ignore' });
  await once(other, 'spawn');
  await writeFile(path, JSON.stringify({ pid: other.pid, identity: await processIdentity(other.pid!) }));
  await expect(takeLock(path)).rejects.toBeInstanceOf(AlreadyRunning);
  other.kill('SIGKILL');
  await once(other, 'exit');
  await takeLock(path);
});
