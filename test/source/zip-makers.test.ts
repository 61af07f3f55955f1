import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasProgram, run } from './tools.ts';
import { createWorkbench, failure, type Workbench } from './workbench.ts';

let bench: Workbench;
let tree: string;
beforeEach(async () => {
  bench = await createWorkbench();
  tree = join(bench.folder, 'tree');
  await mkdir(join(tree, 'bin'), { recursive: true });
  await writeFile(join(tree, 'handler.py'), 'def handle(event):\n    return event\n');
  await writeFile(join(tree, 'привет.txt'), 'ж'.repeat(3000));
  await writeFile(join(tree, 'bin/tool'), '#!/bin/sh\necho hi\n');
  await chmod(join(tree, 'bin/tool'), 0o755);
});
afterEach(() => bench[Symbol.asyncDispose]());

const PATHS = ['bin/tool', 'handler.py', 'привет.txt'];

async function expectTree(zip: string): Promise<void> {
  const { files } = await bench.prepare(await readFile(zip));
  expect(files.map(({ path }) => path)).toEqual(PATHS);
  expect(files.map(({ executable }) => executable)).toEqual([true, false, false]);
  for (const entry of (await bench.entries()).slice(1))
    expect(entry.content.equals(await readFile(join(tree, entry.name.slice('function/'.length))))).toBe(true);
}

const PYTHON = hasProgram('python3');
describe.skipIf(!PYTHON)(`zips by Python's zipfile${PYTHON ? '' : ' (skipped: no python3)'}`, () => {
  const python = (script: string): string => {
    const zip = join(bench.folder, 'made.zip');
    run('python3', ['-c', `import zipfile,os,sys\nzip,tree=sys.argv[1:]\n${script}`, zip, tree]);
    return zip;
  };
  const addAll = (open: string, write: string): string => `
class Pipe:
    def __init__(self, path): self.file = open(path, 'wb')
    def write(self, data): return self.file.write(data)
    def flush(self): self.file.flush()
with ${open} as z:
    for root, _, names in os.walk(tree):
        for name in names:
            path = os.path.join(root, name)
            ${write}
`;
  const plain = 'z.write(path, os.path.relpath(path, tree))';
  test.each([
    ['stored (its default)', "zipfile.ZipFile(zip, 'w')", plain],
    ['deflated', "zipfile.ZipFile(zip, 'w', zipfile.ZIP_DEFLATED)", plain],
    ['at level 0', "zipfile.ZipFile(zip, 'w', zipfile.ZIP_DEFLATED, compresslevel=0)", plain],
    ['at level 9', "zipfile.ZipFile(zip, 'w', zipfile.ZIP_DEFLATED, compresslevel=9)", plain],
    ['to a pipe, with data descriptors', "zipfile.ZipFile(Pipe(zip), 'w', zipfile.ZIP_DEFLATED)", plain],
    [
      'with zip64 fields',
      "zipfile.ZipFile(zip, 'w', zipfile.ZIP_DEFLATED)",
      `i = zipfile.ZipInfo.from_file(path, os.path.relpath(path, tree)); i.compress_type = 8
            with z.open(i, 'w', force_zip64=True) as f: f.write(open(path, 'rb').read())`,
    ],
    [
      'in a root folder',
      "zipfile.ZipFile(zip, 'w')",
      "z.write(path, 'my-fn/' + os.path.relpath(path, tree))",
    ],
    [
      'appended to another file',
      "(open(zip, 'wb').write(b'#!/bin/sh\\n'), zipfile.ZipFile(zip, 'a'))[1]",
      plain,
    ],
  ])('%s', async (_, open, write) => {
    await expectTree(python(addAll(open, write)));
  });

  test('by shutil.make_archive, with folders', async () => {
    await expectTree(python("import shutil; shutil.make_archive(zip[:-4], 'zip', tree)"));
  });

  test.each(['BZIP2', 'LZMA'])('with %s: refused by name', async (method) => {
    const zip = python(`
with zipfile.ZipFile(zip, 'w', zipfile.ZIP_${method}) as z: z.writestr('handler.py', 'x' * 100)`);
    const error = await failure(bench.prepare(await readFile(zip)));
    expect(error).toMatchObject({ code: 'InvalidArchive' });
    expect(error.message).toMatch(new RegExp(`"handler.py" is compressed with ${method}`, 'i'));
  });
});

const ZIP = hasProgram('zip', ['-v']);
describe.skipIf(!ZIP)(`zips by Info-ZIP's zip${ZIP ? '' : ' (skipped: no zip)'}`, () => {
  const zip = (...args: string[]): string => {
    run('zip', ['-q', '-r', ...args, join(bench.folder, 'made.zip'), '.'], tree);
    return join(bench.folder, 'made.zip');
  };
  test.each([[['-9']], [['-0']], [['-X']], [['-fd']], [['-fz']], [['-D']], [['-UN=UTF8']], [['-UN=e']]])(
    '%j',
    async (args) => {
      await expectTree(zip(...args));
    },
  );

  test('adjusted after bytes were put before it (-A)', async () => {
    const file = zip();
    await writeFile(file, Buffer.concat([Buffer.from('#!/bin/sh\nexit\n'), await readFile(file)]));
    expect(await failure(bench.prepare(await readFile(file)))).toMatchObject({ code: 'InvalidArchive' });
    run('zip', ['-q', '-A', file]);
    await expectTree(file);
  });

  test('with a password: refused', async () => {
    const error = await failure(bench.prepare(await readFile(zip('-P', 'secret'))));
    expect(error.message).toMatch(/is encrypted; zip without a password/);
  });

  test('with symlinks kept: refused by name; followed: taken', async () => {
    await symlink('handler.py', join(tree, 'link'));
    const error = await failure(bench.prepare(await readFile(zip('-y'))));
    expect(error.message).toMatch(/"link" is a symbolic link/);
    const { files } = await bench.prepare(await readFile(zip('-FS')));
    expect(files).toHaveLength(4);
  });
});

const JAVA = hasProgram('jar', ['--version']);
test.skipIf(!JAVA)(`a jar, streamed by Java${JAVA ? '' : ' (skipped: no jar)'}`, async () => {
  run('jar', ['--create', '--file', join(bench.folder, 'made.zip'), '-C', tree, '.']);
  const { files } = await bench.prepare(await readFile(join(bench.folder, 'made.zip')));
  expect(files.map(({ path }) => path)).toEqual(['META-INF/MANIFEST.MF', ...PATHS]);
});

const GO = hasProgram('go', ['version']);
/** As Terraform's archive provider zips a folder. */
const ARCHIVE_FILE = `package main

import ("archive/zip"; "io"; "os"; "path/filepath")

func must(err error) { if err != nil { panic(err) } }

func main() {
	out, err := os.Create(os.Args[1]); must(err)
	archive := zip.NewWriter(out)
	must(filepath.Walk(os.Args[2], func(path string, info os.FileInfo, err error) error {
		must(err)
		if info.IsDir() { return nil }
		name, _ := filepath.Rel(os.Args[2], path)
		header, err := zip.FileInfoHeader(info); must(err)
		header.Name, header.Method = filepath.ToSlash(name), zip.Deflate
		entry, err := archive.CreateHeader(header); must(err)
		file, err := os.Open(path); must(err)
		_, err = io.Copy(entry, file)
		return err
	}))
	must(archive.Close())
}
`;
test.skipIf(!GO)(
  `a zip by Go, as Terraform makes them${GO ? '' : ' (skipped: no go)'}`,
  { timeout: 120_000 },
  async () => {
    const program = join(bench.folder, 'zip.go');
    await writeFile(program, ARCHIVE_FILE);
    run('go', ['run', program, join(bench.folder, 'made.zip'), tree], bench.folder);
    await expectTree(join(bench.folder, 'made.zip'));
  },
);
