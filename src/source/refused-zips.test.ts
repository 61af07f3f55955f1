import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { extraField, type RawEntry, type RawZipOptions, rawZip } from '../../test/source/raw-zip.ts';
import { createWorkbench, failure, HANDLER, type Workbench } from '../../test/source/workbench.ts';

let bench: Workbench;
beforeAll(async () => {
  bench = await createWorkbench();
});
afterAll(() => bench[Symbol.asyncDispose]());

/** What is refused must be named, must not be stored, and must not tell where this machine keeps its files. */
async function expectRefusal(
  zip: Buffer | RawEntry[],
  message: RegExp,
  options?: RawZipOptions,
): Promise<void> {
  const error = await failure(bench.prepare(zip, options === undefined ? {} : { zip: options }));
  expect(error).toMatchObject({ name: 'SlessError', code: 'InvalidArchive', http: 400 });
  expect(error.message).toMatch(message);
  expect(error.message).not.toContain(bench.folder);
  expect(await bench.left()).toEqual(['upload.zip']);
}

const evil = (entry: RawEntry): RawEntry[] => [HANDLER, entry];
const content = 'some text, some text, some text';

describe('names that leave the folder, or that Linux cannot hold', () => {
  test.each([
    ['../../x', /"\.\.\/\.\.\/x" has "\.\."/],
    ['a/../../x', /has "\.\."/],
    ['a/..', /has "\.\."/],
    ['..', /has "\.\."/],
    ['.', /ends in "\."/],
    ['lib\\.', /ends in "\."/],
    ['/tmp/x', /"\/tmp\/x" is an absolute path/],
    ['//server/share/x', /absolute/],
    ['\\\\server\\share\\x', /absolute/],
    ['C:\\x', /"C:\\\\x" begins with a drive/],
    ['c:x', /drive/],
    ['..\\..\\x', /"\.\.\\\\\.\.\\\\x" has "\.\."/],
    ['a\\..\\..\\x', /has "\.\."/],
    ['__MACOSX/../../x', /has "\.\."/],
    ['a\0.py', /"a\\u0000\.py" has a NUL/],
    ['a\nb.py', /"a\\nb\.py" has a NUL or another control/],
    ['a\u001b[2Jb', /control/],
    ['a\u007f', /control/],
    ['a\u0085b', /control/],
    ['', /has no name/],
    ['x'.repeat(256), /longer than 255 bytes/],
    [`${'я'.repeat(128)}.py`, /longer than 255 bytes/],
    [`${'d/'.repeat(600)}x`, /path longer than 1024 bytes/],
  ])('%j', async (name, message) => {
    await expectRefusal(evil({ name }), message);
  });

  test('also where only the Unicode Path field holds them', async () => {
    const name = Buffer.from('fine.py');
    const field = Buffer.concat([Buffer.from([1, 0, 0, 0, 0]), Buffer.from('../../x')]);
    field.writeUInt32LE(0x00000000, 1);
    field.writeUInt32LE(crc32(name), 1);
    await expectRefusal(evil({ name, extra: extraField(0x7075, field) }), /has "\.\."/);
  });

  test('a name marked as UTF-8 that is not', async () => {
    await expectRefusal(
      evil({ name: Buffer.from([0xff, 0xfe, 0x2e]), flags: 0x0800 }),
      /marked as UTF-8 and is not/,
    );
  });

  test('a message shows no more than the beginning of a long name, and nothing that moves a terminal', async () => {
    const error = await failure(bench.prepare(evil({ name: `../\u001b[31m\u202e${'x'.repeat(60_000)}` })));
    expect(error.message.length).toBeLessThan(500);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(error.message).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  });
});

describe('what is neither a file nor a folder', () => {
  test.each([
    [
      'a folder without a slash',
      { name: 'a', mode: 0o040755, method: 0 },
      /folder by its mode and a file by/,
    ],
    ['a symlink to /etc', { name: 'a', content: '/etc', mode: 0o120777 }, /"a" is a symbolic link/],
    [
      'a symlink written on Windows',
      { name: 'a', content: '/etc', mode: 0o120777, madeBy: 0x0014 },
      /symbolic link/,
    ],
    ['a named pipe', { name: 'a', mode: 0o010644 }, /named pipe/],
    ['a character device', { name: 'a', mode: 0o020644 }, /character device/],
    ['a block device', { name: 'a', mode: 0o060644 }, /block device/],
    ['a socket', { name: 'a', mode: 0o140644 }, /socket/],
    ['an unknown type', { name: 'a', mode: 0o150644 }, /special file/],
    ['a folder with content', { name: 'a/', content }, /"a\/" is a folder that has content/],
    [
      'a folder by its mode, with content',
      { name: 'a', content, mode: 0o040755 },
      /folder by its mode and a file by/,
    ],
  ])('%s', async (_, entry, message) => {
    await expectRefusal(evil(entry), message);
  });

  test('a symlink `a` followed by a file `a/b`', async () => {
    await expectRefusal(
      [HANDLER, { name: 'a', content: '/etc', mode: 0o120777 }, { name: 'a/b' }],
      /"a" is a symbolic/,
    );
  });
});

describe('duplicates after normalisation', () => {
  test.each([
    ['the very same', ['x.py', 'x.py'], /"x\.py" is there twice/],
    ['a slash and a backslash', ['a/x.py', 'a\\x.py'], /"a\\\\x\.py" is there twice \(as "a\/x\.py" too\)/],
    ['a needless dot', ['x.py', './x.py'], /twice/],
    ['a doubled slash', ['a/x.py', 'a//x.py'], /twice/],
    ['equal after NFC', ['caf\u00e9.py', 'cafe\u0301.py'], /twice/],
    ['equal after NFC, in a folder', ['caf\u00e9/x', 'cafe\u0301/x'], /twice/],
    ['a file that is also a folder', ['a', 'a/b'], /"a" is a file and also the folder of "a\/b"/],
    ['the same in the other order', ['a/b/c', 'a/b'], /"a\/b" is a file and also the folder/],
    ['the same with a folder entry', ['a/', 'a'], /"a" is a file and also the folder of "a\/"/],
    ['the same with names between them', ['a', 'a.py', 'a-b', 'a/b'], /"a" is a file and also/],
  ])('%s', async (_, names, message) => {
    await expectRefusal([HANDLER, ...names.map((name) => ({ name }))], message);
  });
});

describe('methods and encryption', () => {
  test.each([
    ['encrypted', { name: 'a', flags: 0x0001 }, /"a" is encrypted; zip without a password/],
    ['strongly encrypted', { name: 'a', flags: 0x0041 }, /encrypted/],
    ['with masked headers', { name: 'a', flags: 0x2001 }, /encrypted/],
    ['AES', { name: 'a', method: 99 }, /encrypted/],
    ['deflate64', { name: 'a', method: 9 }, /"a" is compressed with Deflate64; use Deflate/],
    ['bzip2', { name: 'a', method: 12 }, /bzip2/],
    ['zstd', { name: 'a', method: 93 }, /Zstandard/],
    ['a method nobody knows', { name: 'a', method: 4711 }, /method 4711/],
    ['a patch', { name: 'a', flags: 0x0020 }, /patch data/],
  ])('%s', async (_, entry, message) => {
    await expectRefusal(evil(entry), message);
  });
});

describe('files that are no zip, or not a whole one', () => {
  const whole = rawZip([HANDLER, { name: 'a', content }]);
  test.each<[string, Buffer, RegExp]>([
    ['empty', Buffer.alloc(0), /it is empty/],
    ['22-byte end record only', rawZip([]), /holds no files/],
    ['only folders', rawZip([{ name: 'a/' }, { name: 'b/c/' }]), /holds no files/],
    ['only what macOS adds', rawZip([{ name: '__MACOSX/._a' }, { name: 'x/.DS_Store' }]), /holds no files/],
    ['text', Buffer.from('def handle(event):\n  return 1\n'.repeat(10)), /not a zip or it was cut off/],
    ['a gzip', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]), /not a zip/],
    ['truncated in the end record', whole.subarray(0, -5), /cut off/],
    ['truncated in the middle', whole.subarray(0, whole.length >> 1), /cut off/],
    ['its beginning missing', whole.subarray(20), /central directory|bytes were put before/],
    ['bytes after its end', Buffer.concat([whole, Buffer.from('extra')]), /bytes after its end/],
    [
      'bytes before the first header',
      Buffer.concat([Buffer.from('#!/bin/sh\n'), whole]),
      /bytes were put before/,
    ],
    ['a part of a split zip', rawZip([HANDLER], { disk: 3 }), /split zip/],
    ['a count too low', rawZip([HANDLER, { name: 'a' }], { count: 1 }), /disagree about the entries/],
    ['a count too high', rawZip([HANDLER, { name: 'a' }], { count: 3 }), /central directory|cut off/],
    ['a directory size that lies', rawZip([HANDLER], { directorySize: 5 }), /does not describe/],
    ['a directory offset that lies', rawZip([HANDLER], { directoryOffset: 5 }), /central directory/],
    [
      'zip64 that contradicts',
      rawZip([HANDLER], { zip64: true, directorySize: 1, count: 2 }),
      /central directory|damaged|cut off/,
    ],
    [
      'an end record inside the comment',
      rawZip([HANDLER], { comment: rawZip([]).toString('latin1') }),
      /disagree/,
    ],
    [
      'an extra field that overflows',
      rawZip(evil({ name: 'a', extra: Buffer.from([1, 0, 99, 0, 1]) })),
      /number 2 of 2 is damaged/,
    ],
  ])('%s', async (_, zip, message) => {
    await expectRefusal(zip, message);
  });
});
