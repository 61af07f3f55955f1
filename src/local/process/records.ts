import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signalGroup } from './guarded.ts';
import { processIdentity } from './identity.ts';

/**
 * Which process groups this run has started, one small file each: the second net under the guard. A run that finds
 * records of an earlier one ends what they name, if it is still the same process.
 */
export interface ProcessRecords {
  /** Ends what earlier runs left running. Resolves with how many groups that were. */
  endStale(): Promise<number>;
  add(pid: number): Promise<void>;
  remove(pid: number): Promise<void>;
}

/** Records kept in a folder that belongs to them alone. */
export function createProcessRecords(folder: string): ProcessRecords {
  return {
    endStale: async () => {
      await mkdir(folder, { recursive: true });
      const names = await readdir(folder);
      const ended = await Promise.all(names.map((name) => endIfSame(join(folder, name), Number(name))));
      return ended.filter(Boolean).length;
    },
    add: async (pid) => {
      const identity = await processIdentity(pid);
      if (identity !== undefined) await writeFile(join(folder, String(pid)), identity);
    },
    remove: (pid) => rm(join(folder, String(pid)), { force: true }),
  };
}

async function endIfSame(file: string, pid: number): Promise<boolean> {
  const recorded = await readFile(file, 'utf8');
  const same = Number.isInteger(pid) && pid > 1 && (await processIdentity(pid)) === recorded;
  if (same) signalGroup(pid, 'SIGKILL');
  await rm(file, { force: true });
  return same;
}
