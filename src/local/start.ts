import { chmod, mkdir, rm } from 'node:fs/promises';
import { StateUnreadable } from '../adapters/embedded-cluster/sqlite-store.ts';
import { CannotStart } from './cannot-start.ts';
import { replaceFile } from './file.ts';
import { AlreadyRunning, type Lock, takeLock } from './lock.ts';
import { type Platform, type PlatformDeps, type PlatformOptions, startPlatform } from './platform.ts';

/**
 * Takes the folder for this process and starts everything in it.
 *
 * @throws CannotStart when another process has the folder, a port is taken, or a file in the folder cannot be read
 */
export async function startLocal(deps: PlatformDeps, options: PlatformOptions): Promise<Platform> {
  const { folder } = options;
  await mkdir(folder.root, { recursive: true, mode: 0o700 });
  await chmod(folder.root, 0o700); // tokens, keys and Secrets lie in it
  const lock = await lockFolder(options);
  await replaceFile(folder.pid, `${process.pid}\n`);
  const giveBack = async (): Promise<void> => {
    await rm(folder.pid, { force: true });
    await lock.release();
  };
  try {
    const platform = await startPlatform(deps, options);
    return { ...platform, stop: () => platform.stop().finally(giveBack) };
  } catch (error) {
    await giveBack();
    const remedy = remedyFor(error);
    throw remedy === undefined ? error : new CannotStart(remedy, { cause: error });
  }
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
function remedyFor(error: unknown): string | undefined {
  if (isPortTaken(error)) return portMessage(error);
  if (error instanceof StateUnreadable) return `${error.message}: ${STATE_REMEDY}`;
  return undefined;
}

const STATE_REMEDY =
  'put a copy of it back, or move it away with its -wal and -shm. The next start begins anew then, without the functions, triggers, jobs and Secrets in it';

interface PortTaken extends Error {
  readonly address?: string;
  readonly port?: number;
}

const isPortTaken = (error: unknown): error is PortTaken =>
  error instanceof Error && 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES');

const portMessage = ({ address, port }: PortTaken): string =>
  `${address}:${port} cannot be listened on: set PORT (and METRICS_PORT) to a free one`;
