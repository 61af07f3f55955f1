import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { spawnGuarded } from '../../src/local/process/guarded.ts';
import { processIdentity } from '../../src/local/process/identity.ts';
import { createProcessRecords } from '../../src/local/process/records.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sless-guarded-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const node = (code: string) => ({ argv: [process.execPath, '-e', code], cwd: folder, env: { ONLY: 'this' } });
const isGone = async (pid: number) => (await processIdentity(pid)) === undefined;
const firstLine = async (stream: NodeJS.ReadableStream) => String((await once(stream, 'data'))[0]).trim();

test('runs a program with exactly the environment given, in its folder, and tells how it ended', async () => {
  const child = spawnGuarded(
    node('console.log(JSON.stringify([Object.keys(process.env), process.cwd()])); process.exitCode = 3'),
  );
  const [out, exit] = await Promise.all([text(child.stdout), child.exited]);
  const [names, cwd] = JSON.parse(out);
  // The shell in between may add PWD, and some add _ and SHLVL.
  expect(names.filter((name: string) => !['PWD', '_', 'SHLVL'].includes(name))).toEqual(['ONLY']);
  expect(cwd).toBe(folder);
  expect(exit).toEqual({ code: 3, signal: null });
});

test('a program that does not exist exits with 127 and says so', async () => {
  const child = spawnGuarded({ argv: ['/nowhere/program'], cwd: folder, env: {} });
  const [err, exit] = await Promise.all([text(child.stderr), child.exited]);
  expect(exit.code).toBe(127);
  expect(err).toContain('/nowhere/program');
});

test('arguments with spaces, quotes and newlines arrive as they are', async () => {
  const wanted = ['a b', "it's", '"q"', 'two\nlines', '$HOME', '*'];
  const child = spawnGuarded({
    ...node(''),
    argv: [process.execPath, '-e', 'console.log(JSON.stringify(process.argv.slice(1)))', '--', ...wanted],
  });
  expect(JSON.parse(await text(child.stdout))).toEqual(wanted);
});

test('a signal reaches the program alone, and its exit takes the rest of the group along', async () => {
  const child = spawnGuarded(
    node(`const { pid } = require('node:child_process').spawn('sleep', ['60']);
      process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000); console.log(pid)`),
  );
  const grandchild = Number(await firstLine(child.stdout));
  expect(await isGone(grandchild)).toBe(false);
  child.kill('SIGTERM');
  expect(await child.exited).toEqual({ code: 0, signal: null });
  await vi.waitFor(async () => expect(await isGone(grandchild)).toBe(true), 2000);
  child.kill('SIGKILL'); // nothing happens
});

test('a program that ignores SIGTERM ends by SIGKILL', async () => {
  const child = spawnGuarded(
    node(`process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')`),
  );
  await firstLine(child.stdout);
  child.kill('SIGTERM');
  child.kill('SIGKILL');
  expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' });
});

test('after a kill -9 of the parent all is over within 2 s, what ignores SIGTERM too', async () => {
  const module = resolve(import.meta.dirname, '../../src/local/process/guarded.ts');
  const stubborn = `require('node:child_process').spawn('sleep', ['60']);
    process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')`;
  const parent = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { spawnGuarded } from ${JSON.stringify(module)};
       const child = spawnGuarded({ argv: [process.execPath, '-e', ${JSON.stringify(stubborn)}], cwd: '/', env: {} });
       child.stdout.once('data', () => console.log(child.pid));`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const pid = Number(await firstLine(parent.stdout));
  const groupOf = async () => {
    const stats = await Promise.all(
      (await readdir('/proc'))
        .filter((name) => /^\d+$/.test(name))
        .map((name) => readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')),
    );
    const fields = stats.map((stat) => stat.slice(stat.lastIndexOf(')') + 2).split(' '));
    return fields.filter(([state, , group]) => Number(group) === pid && state !== 'Z').length;
  };
  if (process.platform === 'linux') expect(await groupOf()).toBe(3); // the program, its child, the guard
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  const killed = Date.now();
  await vi.waitFor(async () => expect(await isGone(pid)).toBe(true), { timeout: 4000, interval: 20 });
  if (process.platform === 'linux') await vi.waitFor(async () => expect(await groupOf()).toBe(0), 1000);
  expect(Date.now() - killed).toBeLessThan(2000);
});

test('records of an earlier run end what still runs, and never a stranger that has its pid', async () => {
  const left = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
  const stranger = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
  const records = createProcessRecords(join(folder, 'processes'));
  expect(await records.endStale()).toBe(0);
  await records.add(left.pid!);
  await records.add(stranger.pid!);
  await writeFile(join(folder, 'processes', String(stranger.pid)), 'another boot/123');
  const ended = once(left, 'exit');
  expect(await createProcessRecords(join(folder, 'processes')).endStale()).toBe(1);
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(await isGone(stranger.pid!)).toBe(false);
  expect(await readdir(join(folder, 'processes'))).toEqual([]);
  stranger.kill('SIGKILL');
});
