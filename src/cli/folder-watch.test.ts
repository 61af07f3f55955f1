import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { watchFolder } from './folder-watch.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sless-watch-'));
  put('handler.py', 'a');
  put('.gitignore', '*.log\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const put = (name: string, text: string) => writeFileSync(join(folder, name), text);

/** Looks at most so often; each look is preceded by one of these steps. @returns whether a change was seen */
async function seen(...steps: (() => void)[]): Promise<boolean> {
  let looks = 0;
  const sleep = async () => {
    steps[looks]?.();
    looks += 1;
    if (looks > steps.length + 3) throw new Error('still');
  };
  return watchFolder({ sleep }, folder)
    .next()
    .then(
      () => true,
      () => false,
    );
}

test.each<[string, () => void]>([
  ['a file that is written', () => put('handler.py', 'bb')],
  ['a new file', () => put('more.py', '')],
  [
    'a file in a new folder',
    () => {
      mkdirSync(join(folder, 'lib'));
      put('lib/x.py', '');
    },
  ],
  ['a file that goes', () => rmSync(join(folder, 'handler.py'))],
  [
    'a file that another one was put in the place of',
    () => {
      put('handler.py.new', 'a');
      renameSync(join(folder, 'handler.py.new'), join(folder, 'handler.py'));
    },
  ],
  ['what the function is', () => put('sless.yaml', 'name: x')],
  ['what is left out', () => put('.gitignore', '')],
])('is a change: %s', async (_, change) => {
  expect(await seen(change)).toBe(true);
});

test('what is left out is none, nor is nothing at all', async () => {
  expect(await seen(() => put('debug.log', 'x'))).toBe(false);
  expect(
    await seen(() => {
      mkdirSync(join(folder, 'node_modules'));
      put('node_modules/x.js', '');
    }),
  ).toBe(false);
  expect(await seen()).toBe(false);
});

test('a file that is written bit by bit is one change, and what was made anew after it was deleted is seen', async () => {
  let looks = 0;
  const watch = watchFolder(
    {
      sleep: async () => {
        looks += 1;
        if (looks < 4) put('handler.py', 'x'.repeat(looks + 1));
      },
    },
    folder,
  );
  await watch.next();
  expect(looks).toBe(4);
  rmSync(join(folder, 'handler.py'));
  await watch.next();
  put('handler.py', 'again');
  await watch.next();
});
