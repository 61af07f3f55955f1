import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import vectors from '../../test/vectors/ignored-files.json' with { type: 'json' };
import { zipFolder } from './folder-zip.ts';

/** Shared with the Terraform provider: the same folder is the same function, whoever sends it. */
const { folders } = z
  .object({
    folders: z.array(
      z.object({
        name: z.string(),
        ignore: z.record(z.string(), z.string()),
        files: z.array(z.string()),
        kept: z.array(z.string()),
      }),
    ),
  })
  .parse(vectors);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sless-zip-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const put = (files: Readonly<Record<string, string>>) => {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
};

test('holds each file once, by its path with slashes', async () => {
  put({ 'handler.py': 'a', 'lib/b.py': 'b', 'имя.txt': 'c' });
  const { bytes, files } = await zipFolder(folder);
  expect(files).toEqual(['handler.py', 'lib/b.py', 'имя.txt']);
  expect(
    Object.fromEntries(
      Object.entries(unzipSync(bytes)).map(([name, data]) => [name, Buffer.from(data).toString()]),
    ),
  ).toEqual({
    'handler.py': 'a',
    'lib/b.py': 'b',
    'имя.txt': 'c',
  });
});

test('leaves out what is never code, what .gitignore says, and .slessignore has the last word', async () => {
  put({
    'handler.py': '',
    'sless.yaml': '',
    '.git/HEAD': '',
    'node_modules/m/i.js': '',
    '__pycache__/x.pyc': '',
    'secret.env': '',
    'data.bin': '',
    'notes/a.md': '',
    'build/out.js': '',
    '.gitignore': '*.env\n*.bin\nbuild/\n',
    '.slessignore': 'notes/\n!data.bin\n!build/\n',
  });
  expect((await zipFolder(folder)).files).toEqual(['build/out.js', 'data.bin', 'handler.py']);
});

test('the same tree makes the same bytes, whatever its dates; executable bits count', async () => {
  put({ 'handler.py': 'a', 'bin/tool': '#!' });
  const first = await zipFolder(folder);
  utimesSync(join(folder, 'handler.py'), 1, 1);
  const second = await zipFolder(folder);
  expect(Buffer.compare(first.bytes, second.bytes)).toBe(0);
  chmodSync(join(folder, 'bin/tool'), 0o755);
  expect(Buffer.compare(first.bytes, (await zipFolder(folder)).bytes)).not.toBe(0);
});

test('a link, an empty folder, a file and nothing at all are refused by name', async () => {
  await expect(zipFolder(folder)).rejects.toThrow('holds no file');
  put({ 'handler.py': 'a' });
  await expect(zipFolder(join(folder, 'none'))).rejects.toThrow('there is no folder');
  await expect(zipFolder(join(folder, 'handler.py'))).rejects.toThrow('is no folder');
  symlinkSync('/etc/passwd', join(folder, 'data'));
  await expect(zipFolder(folder)).rejects.toThrow('data is a link');
  put({ '.slessignore': 'data\n' });
  expect((await zipFolder(folder)).files).toEqual(['handler.py']);
});

test.each(folders)('leaves out: $name', async ({ ignore, files, kept }) => {
  put(ignore);
  put(Object.fromEntries(files.map((path) => [path, path])));
  expect((await zipFolder(folder)).files.toSorted()).toEqual(kept);
});
