import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createBuild } from '../../src/local/build/builder.ts';
import { LogFile } from '../../src/local/process/log-file.ts';
import { loadRuntimes } from '../../src/runtimes/catalogue.ts';
import { type Machine, openMachine, storeContext } from './runner.ts';

let machine: Machine;
let home: string;
beforeEach(async () => {
  machine = await openMachine();
  home = join(machine.folder, 'home-of-the-user');
  await mkdir(home);
});
afterEach(() => machine.close());

const request = {
  image: 'local/sless/default/hello:t1',
  key: 'k',
  runtimeImage: 'local/sless-runtime-nodejs20:v0.1.0',
  strategy: 'dockerfile',
  rebuild: undefined,
};
/** A package whose own script says where it ran. */
const SCRIPT = `require('fs').writeFileSync('where.txt', process.env.HOME); require('fs').writeFileSync(process.env.HOME + '/left', '')`;
const files = {
  'handler.js': 'exports.handle = () => 1',
  'script.js': SCRIPT,
  'package.json': '{"scripts":{"postinstall":"node script.js"}}',
};
const build = (images = machine.images) =>
  createBuild(
    {
      ...machine,
      images,
      runtimes: loadRuntimes(join(import.meta.dirname, '../../runtimes')),
      machine: { ...process.env, HOME: home, npm_config_offline: 'true' },
    },
    request,
  );
const run = async (made: ReturnType<typeof build>, name: string, signal: AbortSignal) => {
  const log = new LogFile({ path: join(machine.logsFolder, name), maxBytes: 1e6 });
  return made.steps
    .find((step) => step.name === name)
    ?.run(signal, log)
    .finally(() => log.destroy());
};

test('scripts of packages have a HOME of the build’s own, which is no part of the image', async () => {
  await storeContext(machine, 'k', files);
  const made = build();
  const { signal } = new AbortController();
  for (const name of ['fetch', 'build', 'push'])
    expect((await run(made, name, signal))?.exitCode, await readLog(name)).toBe(0);
  const image = await machine.images.find(request.image);
  const where = await readFile(join(image?.functionFolder ?? '', 'where.txt'), 'utf8');
  expect(where).toMatch(/\/home$/);
  expect(where.startsWith(home)).toBe(false);
  expect(await readdir(join(image?.functionFolder ?? '', '..'))).toEqual([
    'Dockerfile',
    'function',
    'image.json',
  ]);
  expect(await readdir(home)).not.toContain('left');
});

test('an end between two steps, or within one before its installer runs, starts no installer', async () => {
  await storeContext(machine, 'k', files);
  const ended = new AbortController();
  const made = build({
    ...machine.images,
    has: async (digest) => {
      ended.abort();
      return machine.images.has(digest);
    },
  });
  expect((await run(made, 'fetch', ended.signal))?.exitCode).toBe(0);
  expect((await run(made, 'build', ended.signal))?.exitCode).not.toBe(0);
  expect((await run(made, 'build', AbortSignal.abort()))?.exitCode).not.toBe(0);
  const unfinished = (await readdir(join(machine.folder, 'images'))).find((name) => name.endsWith('.tmp'));
  expect(existsSync(join(machine.folder, 'images', unfinished ?? '', 'function/where.txt'))).toBe(false);
  await made.discard();
});

const readLog = (name: string) => readFile(join(machine.logsFolder, name), 'utf8').catch(() => '');
