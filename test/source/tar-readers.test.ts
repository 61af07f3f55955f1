import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PreparedContext } from '../../src/source/prepare.ts';
import { readSource } from '../../src/source/source-files.ts';
import { hasProgram, run } from './tools.ts';
import { createWorkbench, HANDLER, type Workbench } from './workbench.ts';

/** Every kind of member a context may have: headers, pax headers, spliced, recompressed and stored data, none at all. */
const TREE = [
  HANDLER,
  { name: 'empty' },
  { name: 'stored-tiny', content: 'x', method: 0 },
  { name: 'stored-text', content: 'some text '.repeat(1000), method: 0 },
  { name: 'stored-large', content: Buffer.alloc(2_500_000, 'text, '), method: 0 },
  { name: 'spliced-large', content: Buffer.alloc(3_000_000, 'more text, ') },
  { name: 'block', content: Buffer.alloc(512, 1) },
  { name: 'bin/tool', content: '#!/bin/sh\n', mode: 0o100755 },
  { name: `${'long/'.repeat(30)}name.txt`, content: 'deep' },
  { name: 'данные/😀.txt', content: 'ж' },
];

let bench: Workbench;
let context: PreparedContext;
beforeAll(async () => {
  bench = await createWorkbench();
  context = await bench.prepare(TREE);
});
afterAll(() => bench[Symbol.asyncDispose]());

async function expectFiles(folder: string): Promise<void> {
  expect(String(await readFile(join(folder, 'Dockerfile')))).toBe(context.dockerfile);
  for (const { path, sha256, executable } of context.files) {
    const file = join(folder, 'function', path);
    const found = createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
    expect({ path, sha256: found }).toEqual({ path, sha256 });
    expect((await stat(file)).mode & 0o777).toBe(executable ? 0o755 : 0o644);
  }
  const all = await readdir(join(folder, 'function'), { recursive: true, withFileTypes: true });
  expect(all.filter((entry) => entry.isFile())).toHaveLength(context.files.length);
}

async function unpack(name: string, command: string, args: (folder: string) => string[]): Promise<void> {
  const folder = join(bench.folder, name);
  await mkdir(folder);
  run(command, args(folder), folder);
  await expectFiles(folder);
}

const GNU = hasProgram('tar', ['--version']);
test.skipIf(!GNU)(`GNU tar reads a context${GNU ? '' : ' (skipped: no tar)'}`, async () => {
  await unpack('gnu', 'tar', () => ['xzf', bench.context, '--no-same-owner']);
});

const BUSYBOX = hasProgram('busybox');
test.skipIf(!BUSYBOX)(`busybox reads a context${BUSYBOX ? '' : ' (skipped: no busybox)'}`, async () => {
  await unpack('busybox', 'busybox', () => ['tar', '-xzf', bench.context, '-o']);
});

const BSD = hasProgram('bsdtar', ['--version']);
test.skipIf(!BSD)(`bsdtar reads a context${BSD ? '' : ' (skipped: no bsdtar)'}`, async () => {
  await unpack('bsd', 'bsdtar', () => ['xzf', bench.context, '--no-same-owner']);
});

const PYTHON = hasProgram('python3');
test.skipIf(!PYTHON)(`Python reads a context${PYTHON ? '' : ' (skipped: no python3)'}`, async () => {
  const script = 'import tarfile,sys; tarfile.open(sys.argv[1]).extractall(sys.argv[2])';
  await unpack('python', 'python3', (folder) => ['-c', script, bench.context, folder]);
});

const GO = hasProgram('go', ['version']);
const UNTAR = `package main

import ("archive/tar"; "compress/gzip"; "io"; "os"; "path/filepath")

func must(err error) { if err != nil { panic(err) } }

func main() {
	file, err := os.Open(os.Args[1]); must(err)
	unzipped, err := gzip.NewReader(file); must(err)
	for archive := tar.NewReader(unzipped); ; {
		header, err := archive.Next()
		if err == io.EOF { break }
		must(err)
		path := filepath.Join(os.Args[2], header.Name)
		must(os.MkdirAll(filepath.Dir(path), 0o755))
		out, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, os.FileMode(header.Mode)); must(err)
		_, err = io.Copy(out, archive); must(err)
		must(out.Chmod(os.FileMode(header.Mode))); must(out.Close())
	}
}
`;
test.skipIf(!GO)(`Go reads a context${GO ? '' : ' (skipped: no go)'}`, { timeout: 120_000 }, async () => {
  const program = join(bench.folder, 'untar.go');
  await writeFile(program, UNTAR);
  await unpack('go', 'go', (folder) => ['run', program, bench.context, folder]);
});

test('the platform itself reads a context: /source lists every file', async () => {
  const files = await Array.fromAsync(readSource(createReadStream(bench.context)));
  expect(files.map(({ name, size }) => ({ name, size }))).toEqual(
    context.files.map(({ path, size }) => ({ name: path, size })),
  );
});
