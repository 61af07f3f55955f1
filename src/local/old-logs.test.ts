import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeOldLogs } from './old-logs.ts';

const DAY = 24 * 3600;

test('logs that nobody has written to for a week go, all others stay', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sless-logs-'));
  const now = Date.now();
  const ages = { old: 8, recent: 6, written: 8 };
  for (const [pod, days] of Object.entries(ages)) {
    await mkdir(join(folder, 'ns', pod), { recursive: true });
    await writeFile(join(folder, 'ns', pod, 'function.log'), 'x');
    const time = now / 1000 - days * DAY;
    await utimes(join(folder, 'ns', pod, 'function.log'), time, pod === 'written' ? now / 1000 : time);
    await utimes(join(folder, 'ns', pod), time, time);
  }
  await removeOldLogs(folder, now);
  expect((await readdir(join(folder, 'ns'))).sort()).toEqual(['recent', 'written']);
  await removeOldLogs(join(folder, 'nowhere'), now);
  await rm(folder, { recursive: true });
});
