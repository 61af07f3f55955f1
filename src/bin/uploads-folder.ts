import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';

/**
 * The folder for uploads while they are looked at, empty: what an earlier process left in it when it was killed goes. It
 * is made anew and for us alone, so that nobody's link or file stands in its place.
 */
export async function emptyUploadsFolder({
  uploadFolder,
  port,
}: Pick<Config, 'uploadFolder' | 'port'>): Promise<string> {
  const folder = uploadFolder ?? join(tmpdir(), `sless-uploads-${port === 0 ? process.pid : port}`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: uploadFolder !== undefined, mode: 0o700 });
  return folder;
}
