import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LogFile } from './log-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sless-log-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const write = async (log: LogFile, text: string) => {
  log.write(text);
  await log.settled();
};
const close = async (log: LogFile) => {
  log.end();
  await finished(log);
};

test('keeps all lines of a small output with their times, and goes on where an earlier run ended', async () => {
  const path = join(folder, 'a/b/x.log');
  const now = () => Date.parse('2026-03-01T12:00:00.5Z');
  for (const output of ['one\ntw', 'o\nthree']) {
    const log = new LogFile({ path, maxBytes: 1000, now });
    log.beginRun();
    for (const piece of output) log.write(piece);
    log.endRun();
    await close(log);
  }
  const at = (micros: string) => `2026-03-01T12:00:00.${micros}Z`;
  expect(await readFile(path, 'utf8')).toBe(
    [
      `# begin ${at('500000')}`,
      `${at('500001')} one`,
      `${at('500002')} tw`,
      `# end ${at('500003')}`,
      `# begin ${at('500000')}`,
      `${at('500001')} o`,
      `${at('500002')} three`,
      `# end ${at('500003')}`,
      '',
    ].join('\n'),
  );
});

test('never takes more than twice the bound, and keeps the newest lines', async () => {
  const path = join(folder, 'x.log');
  const log = new LogFile({ path, maxBytes: 1000 });
  for (let line = 0; line < 500; line++) await write(log, `line ${line}\n`);
  await close(log);
  const [current, older] = await Promise.all([stat(path), stat(`${path}.1`)]);
  expect(current.size).toBeLessThanOrEqual(1000);
  expect(older.size).toBeLessThanOrEqual(1000);
  expect(await readFile(path, 'utf8')).toMatch(/line 499\n$/);
});

test('the tail has at most 2 KiB and 80 lines, whole ones', async () => {
  const log = new LogFile({ path: join(folder, 'x.log'), maxBytes: 1e6 });
  for (let line = 0; line < 200; line++) await write(log, `${line}\n`);
  expect(log.tail().split('\n')).toEqual(Array.from({ length: 80 }, (_, index) => String(120 + index)));
  await write(log, `${'x'.repeat(1500)}\n${'y'.repeat(1500)}\n`);
  expect(log.tail()).toBe('y'.repeat(1500));
  log.beginRun();
  await write(log, 'fresh\n');
  expect(log.tail()).toBe('fresh');
  await close(log);
});

test('a disk that takes nothing does not stop the writer', async () => {
  const log = new LogFile({ path: join(import.meta.filename, 'x.log'), maxBytes: 1000 });
  await write(log, 'lost\n');
  await close(log);
  expect(log.tail()).toBe('lost');
});
