import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { rawZip } from '../../test/source/raw-zip.ts';
import { createWorkbench, failure, HANDLER, PYTHON, type Workbench } from '../../test/source/workbench.ts';
import { type ContextPreparer, createContextPreparer, type PreparerOptions } from './preparer.ts';

let bench: Workbench;
let preparer: ContextPreparer;
const start = (options?: PreparerOptions): ContextPreparer => {
  preparer = createContextPreparer(options);
  return preparer;
};
beforeEach(async () => {
  bench = await createWorkbench();
  await writeFile(join(bench.folder, 'good.zip'), rawZip([HANDLER]));
  await writeFile(join(bench.folder, 'bad.zip'), rawZip([{ name: '../x' }]));
});
afterEach(async () => {
  await preparer.close();
  await bench[Symbol.asyncDispose]();
});

const ask = (zip: string, destination = bench.context): ReturnType<ContextPreparer['prepare']> =>
  preparer.prepare(join(bench.folder, zip), PYTHON, { destination });

test('gives what prepareContext gives', async () => {
  start();
  const direct = await bench.prepare([HANDLER]);
  expect(await ask('good.zip')).toEqual(direct);
});

test('an error arrives as the SlessError that it was, and the thread goes on', async () => {
  start();
  const error = await failure(ask('bad.zip'));
  expect(error).toMatchObject({ name: 'SlessError', code: 'InvalidArchive', http: 400, details: [] });
  expect(error.message).toMatch(/"\.\.\/x" has/);
  expect(await failure(ask('missing.zip'))).toMatchObject({ code: 'Unavailable', retryAfterSeconds: 5 });
  expect(await ask('good.zip')).toMatchObject({ strategy: 'append' });
});

test('many at once are done one after another', async () => {
  start();
  const asked = Array.from({ length: 20 }, (_, index) => ask('good.zip', join(bench.folder, `c${index}`)));
  const contexts = await Promise.all(asked);
  expect(new Set(contexts.map(({ codeHash }) => codeHash)).size).toBe(1);
  expect(await bench.left()).toHaveLength(22);
});

test('more than may wait are sent away with a time to come back', async () => {
  start({ maxWaiting: 2 });
  const asked = await Promise.allSettled(Array.from({ length: 6 }, () => ask('good.zip')));
  const refused = asked.filter((result) => result.status === 'rejected').map(({ reason }) => reason);
  expect(refused.length).toBeGreaterThan(0);
  for (const reason of refused) expect(reason).toMatchObject({ code: 'Unavailable', retryAfterSeconds: 2 });
});

test('a thread without work ends, and the next zip starts another', async () => {
  const threads: Worker[] = [];
  const note = (thread: Worker): void => void threads.push(thread);
  process.on('worker', note);
  try {
    start({ idleMilliseconds: 1 });
    await ask('good.zip');
    await once(threads[0]!, 'exit');
    expect(await ask('good.zip')).toMatchObject({ strategy: 'append' });
    expect(threads).toHaveLength(2);
  } finally {
    process.off('worker', note);
  }
});

test('closing lets the running one end and refuses the rest', async () => {
  start();
  const running = ask('good.zip');
  const waiting = failure(ask('good.zip'));
  await preparer.close();
  expect(await running).toMatchObject({ strategy: 'append' });
  expect(await waiting).toMatchObject({ code: 'Unavailable' });
  expect(await failure(ask('good.zip'))).toMatchObject({ code: 'Unavailable' });
});

test('a zip that takes too long ends with its thread; the next one gets another', async () => {
  start({ timeoutMilliseconds: 1 });
  const error = await failure(ask('good.zip'));
  expect(error).toMatchObject({ code: 'Internal', message: 'the upload could not be prepared' });
  await preparer.close();
  expect(await bench.left()).not.toContain('context.tar.gz');
  start();
  expect(await ask('good.zip')).toMatchObject({ strategy: 'append' });
});
