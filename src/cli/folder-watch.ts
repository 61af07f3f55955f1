import { statSync } from 'node:fs';
import { join } from 'node:path';
import { deployedFiles } from './folder-zip.ts';
import { PROJECT_FILE } from './project.ts';
import type { World } from './world.ts';

/** The changes of a folder that a deployment would notice. */
export interface FolderWatch {
  /** Waits until the folder is another than when it was last asked, and has been still for a moment. */
  next(): Promise<void>;
}

/** Longer than an editor takes to save a file in its several steps, and too short to be noticed. */
const LOOK_MS = 300;
/** These decide over what is deployed, and are never part of it. */
const DECIDING = [PROJECT_FILE, '.gitignore', '.slessignore'];

/**
 * Watches from now on, by looking: the file system's own events miss what editors and tools do to a tree (on Linux node's
 * recursive watch loses a file that was deleted and made again), and know nothing of what is left out.
 */
export function watchFolder({ sleep }: Pick<World, 'sleep'>, folder: string): FolderWatch {
  let known = looksOf(folder);
  return {
    next: async () => {
      let before = known;
      for (;;) {
        await sleep(LOOK_MS);
        const now = looksOf(folder);
        const isStill = now === before;
        before = now;
        if (!isStill || now === known) continue;
        known = now;
        return;
      }
    },
  };
}

/** Differs when anything of the folder does that a deployment takes. A folder that cannot be taken is one more look. */
function looksOf(folder: string): string {
  const deciding = DECIDING.map((name) => {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    return [name, stats?.mtimeMs, stats?.size];
  });
  try {
    const files = deployedFiles(folder).map(({ path, stats }) => [
      path,
      stats.mtimeMs,
      stats.size,
      stats.ino,
      stats.mode,
    ]);
    return JSON.stringify([deciding, files]);
  } catch (error) {
    return JSON.stringify([deciding, String(error)]);
  }
}
