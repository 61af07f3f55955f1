import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { SlessError } from '../errors.ts';

/**
 * Opens what the step before has left. That step ran what a user wrote: a link in the file's place could lead to this step's
 * login, and a pipe could keep it waiting, so none is followed and only a plain file is read.
 *
 * @throws SlessError `BuildFailed`
 */
export async function openBuiltFile(path: string): Promise<FileHandle> {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((cause: unknown) => {
    throw new SlessError('BuildFailed', `the build left no image that can be read (${codeOf(cause)})`, {
      cause,
    });
  });
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new SlessError('BuildFailed', 'the build left something else than a file in the place of its image');
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
