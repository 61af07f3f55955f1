import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Images, openImages } from './images.ts';

let folder: string;
let images: Images;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sless-images-'));
  images = await openImages(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const digestOf = (digit: string): string => `sha256:${digit.repeat(64)}`;

async function make(digit: string): Promise<string> {
  const unfinished = await images.begin();
  await mkdir(unfinished.functionFolder);
  await unfinished.commit({ digest: digestOf(digit), runtimeImage: 'r', key: 'k' });
  await images.tag(`local/f:${digit}`, digestOf(digit));
  await unfinished.discard();
  return digestOf(digit);
}

const left = async (): Promise<string[]> =>
  (await readdir(folder)).filter((name) => /^[0-9a-f]{64}$/.test(name)).map((name) => name.charAt(0));

test('what nobody names goes with its tag; what is named by digest or by tag stays', async () => {
  for (const digit of ['1', '2', '3', '4']) await make(digit);
  await images.removeUnused(async () => [`{"image":"local/f@${digestOf('2')}"}`, 'local/f:3', 'f:4']);
  expect((await left()).sort()).toEqual(['2', '3']);
  expect(await images.find('local/f:3')).toBeDefined();
  expect(await images.find('local/f:1')).toBeUndefined();
  expect(await readdir(join(folder, 'tags'))).toHaveLength(2);
});

test('what something runs on stays until that has ended', async () => {
  await make('1');
  const { promise, resolve } = Promise.withResolvers<void>();
  images.holdWhile(`local/f@${digestOf('1')}`, promise);
  await images.removeUnused(async () => []);
  expect(await left()).toEqual(['1']);
  resolve();
  await promise;
  await new Promise(setImmediate);
  await images.removeUnused(async () => []);
  expect(await left()).toEqual([]);
});

test('nothing goes while something is built, when a build begins meanwhile, or when nobody knows', async () => {
  await make('1');
  const unfinished = await images.begin();
  await images.removeUnused(async () => []);
  await unfinished.discard();
  await images.removeUnused(async () => {
    await (await images.begin()).discard();
    return [];
  });
  await images.removeUnused(async () => undefined);
  expect(await left()).toEqual(['1']);
  await images.removeUnused(async () => []);
  expect(await left()).toEqual([]);
});
