import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { replaceFile } from './file.ts';
import { folderFault } from './folder-fault.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sless-fault-'));
  await mkdir(join(root, 'folder'));
  await writeFile(join(root, 'file'), '');
});
afterAll(() => rm(root, { recursive: true, force: true }));

const faultOf = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => expect.fail('that should not work'),
    (error: unknown) => folderFault(error, root),
  );

test('what is not what sless could have left is named, with what helps', async () => {
  const [folder, file] = [join(root, 'folder'), join(root, 'file')];
  expect(await faultOf(replaceFile(folder, 'x'))).toBe(
    `${folder} is a folder where sless keeps a file: move it away`,
  );
  expect(await faultOf(mkdir(file))).toContain(`${file} is a file where sless keeps a folder`);
  expect(await faultOf(writeFile(join(file, 'below'), ''))).toContain('move that file away');
});

test.each(['EACCES', 'EPERM', 'EROFS', 'ENOSPC'])('%s leads to another SLESS_DIR', (code) => {
  const error = Object.assign(new Error(code), { code, path: join(root, 'state.db') });
  expect(folderFault(error, root)).toMatch(/state\.db .*SLESS_DIR/);
});

test('places elsewhere, other errors and ports are not the folder’s', async () => {
  expect(await faultOf(rename(join(tmpdir(), 'no-such-file'), join(tmpdir(), 'other')))).toBeUndefined();
  const elsewhere = Object.assign(new Error('EACCES'), { code: 'EACCES', path: '/elsewhere/file' });
  expect(folderFault(elsewhere, root)).toBeUndefined();
  const port = Object.assign(new Error('EACCES'), { code: 'EACCES', syscall: 'listen', port: 80 });
  expect(folderFault(port, root)).toBeUndefined();
  expect(folderFault('text', root)).toBeUndefined();
});
