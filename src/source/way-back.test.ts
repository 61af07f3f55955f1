import { createReadStream } from 'node:fs';
import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RawTarEntry, rawTarGz } from '../../test/source/raw-tar.ts';
import { createWorkbench, failure, HANDLER, type Workbench } from '../../test/source/workbench.ts';
import { SlessError } from '../errors.ts';
import { extractContext } from './extract.ts';
import { layerFromContext } from './layer.ts';
import {
  MAX_SHOWN_BYTES,
  MAX_SHOWN_FILE_BYTES,
  type SourceText,
  readSource as sourceOf,
} from './source-files.ts';

let bench: Workbench;
beforeAll(async () => {
  bench = await createWorkbench();
});
afterAll(() => bench[Symbol.asyncDispose]());

async function readSource(context: Readable, signal?: AbortSignal): Promise<SourceText[]> {
  const files: SourceText[] = [];
  for await (const file of sourceOf(context, signal)) files.push(file);
  return files;
}
const stored = (): Readable => createReadStream(bench.context);
const tar = (...entries: RawTarEntry[]): Readable => Readable.from([rawTarGz(entries)]);
let folders = 0;
const freshFolder = (): string => join(bench.folder, `out-${folders++}`);

const TREE = [
  HANDLER,
  { name: 'bin/tool', content: '#!/bin/sh\n', mode: 0o100755 },
  { name: 'данные/é.txt', content: 'ж\r\n' },
  { name: 'empty' },
  { name: 'logo.png', content: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]) },
  { name: 'latin1.txt', content: Buffer.from([0x63, 0xe9]) },
];

describe('source', () => {
  test('is the text of the files, in order, without the Dockerfile; what is no text says so', async () => {
    await bench.prepare(TREE);
    expect(await readSource(stored())).toEqual([
      { name: 'bin/tool', size: 10, content: '#!/bin/sh\n' },
      { name: 'empty', size: 0, content: '' },
      { name: 'handler.py', size: 36, content: HANDLER.content },
      { name: 'latin1.txt', size: 2, content: null, omitted: 'binary' },
      { name: 'logo.png', size: 5, content: null, omitted: 'binary' },
      { name: 'данные/é.txt', size: 4, content: 'ж\r\n' },
    ]);
  });

  test('keeps a byte order mark: the text is the bytes', async () => {
    await bench.prepare([HANDLER, { name: 'a', content: '\ufeffx' }]);
    expect((await readSource(stored()))[0]?.content).toBe('\ufeffx');
  });

  test("a function's own Dockerfile is a file like others", async () => {
    await bench.prepare([HANDLER, { name: 'Dockerfile', content: 'FROM scratch' }]);
    expect((await readSource(stored())).map(({ name }) => name)).toEqual(['Dockerfile', 'handler.py']);
  });

  test('holds no more of one file, nor of all together, than an answer can carry', async () => {
    const large = 'x'.repeat(MAX_SHOWN_FILE_BYTES);
    const parts = Array.from({ length: 18 }, (_, index) => ({ name: `p${index}`, content: large }));
    await bench.prepare([HANDLER, { name: 'big', content: `${large}x` }, ...parts]);
    const files = await readSource(stored());
    expect(files).toHaveLength(20);
    expect(files.find(({ name }) => name === 'big')).toMatchObject({ content: null, omitted: 'too large' });
    const shown = files.reduce((sum, { content }) => sum + (content?.length ?? 0), 0);
    expect(shown).toBeLessThanOrEqual(MAX_SHOWN_BYTES);
    expect(shown).toBeGreaterThan(MAX_SHOWN_BYTES - MAX_SHOWN_FILE_BYTES - 100);
  });

  test.each([
    ['control characters', '\u0001'],
    ['quotes', '"'],
    ['letters of two bytes', 'ж'],
  ])('counts %s as JSON writes them', async (_, letter) => {
    const text = letter.repeat(MAX_SHOWN_FILE_BYTES / Buffer.byteLength(letter));
    const parts = Array.from({ length: 18 }, (_, index) => ({ name: `p${index}`, content: text }));
    await bench.prepare([HANDLER, ...parts]);
    const files = await readSource(stored());
    const json = Buffer.byteLength(JSON.stringify(files));
    expect(json).toBeLessThanOrEqual(MAX_SHOWN_BYTES + 10_000);
    expect(json).toBeGreaterThan(MAX_SHOWN_BYTES - 7 * MAX_SHOWN_FILE_BYTES);
    expect(files.filter(({ omitted }) => omitted === 'too large').length).toBeGreaterThan(2);
  });

  test('ends with its signal, and lets go of the context', async () => {
    await bench.prepare(TREE);
    const ending = new AbortController();
    const context = stored();
    const texts = sourceOf(context, ending.signal);
    await texts.next();
    ending.abort(new Error('enough'));
    await expect(Array.fromAsync(texts)).rejects.toThrow('enough');
    expect(context.destroyed).toBe(true);
    await expect(readSource(stored(), ending.signal)).rejects.toThrow('enough');
  });

  test('lets go of the context when nobody wants the rest', async () => {
    await bench.prepare(TREE);
    const context = stored();
    const texts = sourceOf(context);
    await texts.next();
    await texts.return(undefined);
    expect(context.destroyed).toBe(true);
  });
});

describe('a folder', () => {
  test('holds the Dockerfile and the code, with modes that no umask changes', async () => {
    const context = await bench.prepare(TREE);
    const folder = freshFolder();
    const umask = process.umask(0o077);
    try {
      const extracted = await extractContext(stored(), folder);
      expect(extracted).toEqual({ files: context.files, codeHash: context.codeHash });
    } finally {
      process.umask(umask);
    }
    expect(String(await readFile(join(folder, 'Dockerfile')))).toBe(context.dockerfile);
    expect(String(await readFile(join(folder, 'function/данные/é.txt')))).toBe('ж\r\n');
    const mode = async (path: string): Promise<number> => (await lstat(join(folder, path))).mode & 0o777;
    expect(await mode('function/bin/tool')).toBe(0o755);
    expect(await mode('function/handler.py')).toBe(0o644);
    expect(await mode('function/bin')).toBe(0o755);
  });

  test('that is not empty is refused: what lies there could lead elsewhere', async () => {
    await bench.prepare([HANDLER]);
    const [folder, outside] = [freshFolder(), freshFolder()];
    await mkdir(folder);
    await mkdir(outside);
    await symlink(outside, join(folder, 'function'));
    const error = await failure(extractContext(stored(), folder));
    expect(error).toMatchObject({ code: 'Unavailable' });
    expect(error.message).toBe('the code cannot be written to disk (not an empty folder)');
    expect(await readdir(outside)).toEqual([]);
  });

  test('that cannot be made says why, and not where', async () => {
    const file = freshFolder();
    await writeFile(file, '');
    const context = stored();
    const error = await failure(extractContext(context, join(file, 'x')));
    expect(error).toMatchObject({
      code: 'Unavailable',
      message: 'the code cannot be written to disk (ENOTDIR)',
    });
    expect(context.destroyed).toBe(true);
  });
});

describe('a layer', () => {
  test('is /app/function with every folder before its files, and nothing of the machine', async () => {
    await bench.prepare(TREE);
    const layer = await buffer(layerFromContext(stored()));
    const names: string[] = [];
    for await (const entry of Readable.from([layer]).pipe(extract())) {
      const { type, mode, uid, gid, name } = entry.header;
      names.push(`${type} ${mode.toString(8)} ${uid}:${gid} ${name}`);
      entry.resume();
    }
    expect(names).toEqual([
      'directory 755 0:0 app/function/',
      'directory 755 0:0 app/function/bin/',
      'file 755 0:0 app/function/bin/tool',
      'file 644 0:0 app/function/empty',
      'file 644 0:0 app/function/handler.py',
      'file 644 0:0 app/function/latin1.txt',
      'file 644 0:0 app/function/logo.png',
      'directory 755 0:0 app/function/данные/',
      'file 644 0:0 app/function/данные/é.txt',
    ]);
  });

  test('is the same bytes however the tree was zipped', async () => {
    await bench.prepare(TREE);
    const first = await buffer(layerFromContext(stored()));
    await bench.prepare(TREE.toReversed().map((entry) => ({ ...entry, method: 0, date: 0x5a21 })));
    expect((await buffer(layerFromContext(stored()))).equals(first)).toBe(true);
  });

  test('whose reader leaves lets go of the context', async () => {
    await bench.prepare([HANDLER, { name: 'big', content: Buffer.alloc(5_000_000) }]);
    const context = stored();
    for await (const _ of layerFromContext(context)) break;
    await expect.poll(() => context.destroyed).toBe(true);
  });
});

test('more files than a zip may have are refused', async () => {
  const many = Array.from({ length: 10_002 }, (_, index) => ({ name: `function/${index}` }));
  const error = await failure(readSource(tar(...many)));
  expect(error).toMatchObject({ code: 'InvalidArchive' });
  expect(error.message).toMatch(/more than 10000 files or folders/);
});

const READERS: [string, (context: Readable) => Promise<unknown>][] = [
  ['readSource', (context) => readSource(context)],
  ['extractContext', (context) => extractContext(context, freshFolder())],
  ['layerFromContext', (context) => buffer(layerFromContext(context))],
];

describe.each(READERS)('%s: contexts that no upload made', (_, read) => {
  const file = { name: 'function/a', content: 'x' };
  test.each<[string, () => Readable, RegExp]>([
    [
      'a symlink',
      () => tar({ name: 'function/a', type: '2', link: '/etc' }),
      /"function\/a", which is not a regular file/,
    ],
    [
      'a hard link',
      () => tar(file, { name: 'function/b', type: '1', link: 'function/a' }),
      /not a regular file/,
    ],
    ['a device', () => tar({ name: 'function/a', type: '3' }), /not a regular file/],
    ['a folder', () => tar({ name: 'function/a/', type: '5' }), /not a regular file/],
    ['a name that leaves', () => tar({ name: 'function/../../x', content: 'x' }), /has "\.\."/],
    ['an absolute name', () => tar({ name: '/etc/passwd', content: 'x' }), /absolute/],
    [
      'a name with a slash at its end',
      () => tar({ name: 'function/a/', content: 'x' }),
      /no file's name|not a regular/,
    ],
    ['a name twice', () => tar(file, file), /"function\/a" twice/],
    [
      'a file that is a folder too',
      () => tar(file, { ...file, name: 'function/a/b' }),
      /"function\/a\/b" as a file and a folder/,
    ],
    [
      'the same in the other order',
      () => tar({ ...file, name: 'function/a/b' }, file),
      /"function\/a" as a file and a folder/,
    ],
    [
      'a file in place of the folder',
      () => tar({ ...file, name: 'function' }, file),
      /as a file and a folder/,
    ],
    ['a name twice, written differently', () => tar(file, { ...file, name: 'function//a' }), /twice/],
    ['no gzip', () => Readable.from([Buffer.from('hello')]), /damaged/],
    ['no tar', () => Readable.from([gzipSync(Buffer.alloc(2048, 'x'))]), /damaged/],
    ['cut off in the gzip', () => Readable.from([rawTarGz([file]).subarray(0, -9)]), /damaged/],
    ['cut off in the tar', () => tar({ ...file, size: 10_000 }), /damaged/],
    [
      'a pax header of megabytes',
      () => tar({ name: 'x', type: 'x', content: Buffer.alloc(5_000_000) }, file),
      /damaged/,
    ],
    ['a bomb', () => Readable.from(bomb()), /larger than \d+ bytes unpacked/],
  ])('%s', async (_name, context, message) => {
    const error = await failure(read(context()));
    expect(error).toMatchObject({ name: 'SlessError', code: 'InvalidArchive' });
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain(bench.folder);
  });

  test('an error of the store passes through', async () => {
    const broken = new PassThrough();
    broken.write(rawTarGz([file]).subarray(0, 20));
    const cause = new SlessError('Unavailable', 'the store is away');
    setImmediate(() => broken.destroy(cause));
    expect(await failure(read(broken))).toBe(cause);
  });
});

/** One file of a gigabyte: a megabyte of gzip, and more than any upload may hold. */
function bomb(): Buffer[] {
  const zeros = gzipSync(Buffer.alloc(64 * 1024 * 1024), { level: 1 });
  const header = gzipSync(headerOf({ name: 'function/zeros', size: 16 * 64 * 1024 * 1024 }));
  return [header, ...Array.from({ length: 16 }, () => zeros)];
}

function headerOf(entry: RawTarEntry): Buffer {
  return gunzipSync(rawTarGz([entry])).subarray(0, 512);
}
