import { chmod, mkdir, rm } from 'node:fs/promises';
import { CannotStart } from './cannot-start.ts';
import { replaceFile } from './file.ts';
import { AlreadyRunning, type Lock, takeLock } from './lock.ts';
import { type Platform, type PlatformDeps, type PlatformOptions, startPlatform } from './platform.ts';

/**
 * Takes the folder for this process and starts everything in it.
 *
 * @throws CannotStart when another process has the folder, or a port is taken
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
    throw isPortTaken(error) ? new CannotStart(portMessage(error), { cause: error }) : error;
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

interface PortTaken extends Error {
  readonly address?: string;
  readonly port?: number;
}

const isPortTaken = (error: unknown): error is PortTaken =>
  error instanceof Error && 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES');

const portMessage = ({ address, port }: PortTaken): string =>
  `${address}:${port} cannot be listened on: set PORT (and METRICS_PORT) to a free one`;
