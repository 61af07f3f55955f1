import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Long enough to look into what went wrong last week. */
const MAX_AGE_MS = 7 * 24 * 3600 * 1000;

/** Removes the logs of pods that have written nothing for a week: `<folder>/<namespace>/<pod>/`. */
export async function removeOldLogs(folder: string, now: number): Promise<void> {
  for (const namespace of await namesIn(folder)) {
    for (const pod of await namesIn(join(folder, namespace))) {
      const path = join(folder, namespace, pod);
      if ((await lastWritten(path)) < now - MAX_AGE_MS) await rm(path, { recursive: true, force: true });
    }
  }
}

async function lastWritten(folder: string): Promise<number> {
  const files = (await namesIn(folder)).map((name) => join(folder, name));
  const times = await Promise.all([folder, ...files].map(async (path) => (await stat(path)).mtimeMs));
  return Math.max(...times);
}

/** Nothing there is nothing in it. */
const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);
