import { rmSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { StateUnreadable } from '../adapters/sqlite-file.ts';
import { CannotStart } from './cannot-start.ts';
import { replaceFile } from './file.ts';
import type { LocalFolder } from './folder.ts';
import { folderFault } from './folder-fault.ts';
import { AlreadyRunning, type Lock, takeLock } from './lock.ts';
import { type Platform, type PlatformDeps, type PlatformOptions, startPlatform } from './platform.ts';

/**
 * Takes the folder for this process and starts everything in it.
 *
 * @throws CannotStart when another process has the folder, a port is taken, or a file in the folder cannot be read
 */
export async function startLocal(deps: PlatformDeps, options: PlatformOptions): Promise<Platform> {
  try {
    return await startInFolder(deps, options);
  } catch (error) {
    const remedy = remedyFor(error, options.folder.root);
    throw remedy === undefined ? error : new CannotStart(remedy, { cause: error });
  }
}

async function startInFolder(deps: PlatformDeps, options: PlatformOptions): Promise<Platform> {
  const { folder } = options;
  await mkdir(folder.root, { recursive: true, mode: 0o700 });
  await chmod(folder.root, 0o700); // tokens, keys and Secrets lie in it
  const lock = await lockFolder(options);
  const giveBack = (): void => {
    process.off('exit', giveBack);
    removePid(folder);
    lock.release();
  };
  // However this process ends while it can still do anything, nobody shall find its pid afterwards.
  process.on('exit', giveBack);
  try {
    await replaceFile(folder.pid, `${process.pid}\n`);
    const platform = await startPlatform(deps, options);
    return { ...platform, stop: () => platform.stop().finally(giveBack) };
  } catch (error) {
    giveBack();
    throw error;
  }
}

/** What is not our file stays: a folder of that name, say. */
function removePid(folder: LocalFolder): void {
  try {
    rmSync(folder.pid, { force: true });
  } catch {}
}

async function lockFolder({ folder }: PlatformOptions): Promise<Lock> {
  try {
    return await takeLock(folder.lock);
  } catch (error) {
    if (!(error instanceof AlreadyRunning)) throw error;
    throw new CannotStart(
      `sless is already running in ${folder.root} (pid ${error.pid}): stop it, or set SLESS_DIR to another folder`,
    );
  }
}

/** What helps, for mistakes that whoever started sless can mend. */
function remedyFor(error: unknown, root: string): string | undefined {
  if (isPortRefused(error)) return portMessage(error);
  if (error instanceof StateUnreadable) return `${error.message}: ${STATE_REMEDY}`;
  return folderFault(error, root);
}

const STATE_REMEDY =
  'put a copy of it back, or move it away with its -wal and -shm. The next start begins anew then, without what is in it: functions, triggers, jobs and Secrets in state.db, messages in bus.db';

interface PortRefused extends Error {
  readonly code: string;
  readonly address: string;
  readonly port: number;
}

/** Files are refused with EACCES too: only what `listen` says is about a port. */
const isPortRefused = (error: unknown): error is PortRefused =>
  error instanceof Error &&
  'syscall' in error &&
  error.syscall === 'listen' &&
  'code' in error &&
  (error.code === 'EADDRINUSE' || error.code === 'EACCES');

function portMessage({ code, address, port }: PortRefused): string {
  const [why, right] =
    code === 'EACCES'
      ? ['since this user may not', 'one from 1024 on']
      : ['since something else listens there', 'a free one'];
  return `${address}:${port} cannot be listened on, ${why}: set PORT (and METRICS_PORT) to ${right}`;
}
