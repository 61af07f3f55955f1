import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { imageTar } from '../../test/registry/image-tar.ts';
import { checkUnpackedSize } from './unpacked-size.ts';

const MOST = 1024 * 1024;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sless-unpacked-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function check(...image: Parameters<typeof imageTar>): Promise<void> {
  const path = join(folder, 'image.tar');
  await writeFile(path, await imageTar(...image));
  const file = await open(path);
  try {
    await checkUnpackedSize(file, MOST);
  } finally {
    await file.close();
  }
}

const zeros = (size: number) => Buffer.alloc(size);
const PACKED = [
  ['gzip', gzipSync],
  ['zstd', zstdCompressSync],
  ['nothing', (data: Buffer) => data],
] as const;

test.each(PACKED)('a layer packed by %s counts by what it unpacks to', async (_, packed) => {
  await check([['a', packed(zeros(MOST))]], ['a']);
  await expect(check([['a', packed(zeros(MOST + 1))]], ['a'])).rejects.toMatchObject({
    code: 'ImageTooLarge',
  });
});

test('all layers count together, and one that is named twice counts twice', async () => {
  const half = gzipSync(zeros(MOST / 2 + 1));
  await check([['a', half]], ['a']);
  await expect(check([['a', half]], ['a', 'a'])).rejects.toMatchObject({ code: 'ImageTooLarge' });
  const both = [['a', half] as const, ['b', half] as const];
  await expect(check(both, ['a', 'b'])).rejects.toMatchObject({ code: 'ImageTooLarge' });
});

test('members of a gzip file that follow each other count all', async () => {
  const half = gzipSync(zeros(MOST / 2 + 1));
  await expect(check([['a', Buffer.concat([half, half])]], ['a'])).rejects.toMatchObject({
    code: 'ImageTooLarge',
  });
});

test('of two entries of one name the larger one counts', async () => {
  const twice = [['a', 'x'] as const, ['a', gzipSync(zeros(MOST + 1))] as const, ['a', 'y'] as const];
  await expect(check(twice, ['a'])).rejects.toMatchObject({ code: 'ImageTooLarge' });
});

test.each<[string, readonly (readonly [string, Buffer | string])[], readonly string[] | string]>([
  ['no manifest that can be read', [], 'rubbish'],
  ['a layer that is not there', [['a', 'x']], ['b']],
  ['a layer that cannot be unpacked', [['a', gzipSync(zeros(9)).subarray(0, 15)]], ['a']],
])('%s is no image', async (_, entries, layers) => {
  await expect(check(entries, layers)).rejects.toMatchObject({ code: 'BuildFailed' });
});
