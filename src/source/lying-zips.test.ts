import { deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  descriptor,
  extraField,
  type RawEntry,
  type RawZipOptions,
  rawZip,
  streamed,
} from '../../test/source/raw-zip.ts';
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
const packed = deflateRawSync(Buffer.from(content));

describe('lies about sizes, checksums and places', () => {
  test.each<[string, RawEntry, RegExp]>([
    ['one wrong CRC', { name: 'a', content, crc: 1 }, /"a" does not match its checksum/],
    ['one wrong CRC, stored', { name: 'a', content, method: 0, crc: 1 }, /checksum/],
    ['one wrong CRC of an empty file', { name: 'a', crc: 1 }, /checksum/],
    ['declares less than it holds', { name: 'a', content, size: 5 }, /declares 5 bytes and holds more/],
    ['declares more than it holds', { name: 'a', content, size: 500 }, /declares 500 bytes and holds 31/],
    [
      'declares nothing and holds something',
      { name: 'a', content, size: 0 },
      /declares 0 bytes and holds more/,
    ],
    [
      'stored with two sizes',
      { name: 'a', content, method: 0, size: 5 },
      /stored without compression with 31 bytes/,
    ],
    ['a stream cut off', { name: 'a', content, packed: packed.subarray(0, -2) }, /damaged/],
    ['no stream at all', { name: 'a', content, packed: Buffer.alloc(0) }, /damaged/],
    ['a damaged stream', { name: 'a', content, packed: Buffer.alloc(20, 0xff) }, /damaged/],
    [
      'bytes after the end of the stream',
      { name: 'a', content, packed: Buffer.concat([packed, Buffer.from('hidden')]) },
      /bytes after the end of its compressed data/,
    ],
    [
      'a second stream after the first',
      { name: 'a', content, packed: Buffer.concat([packed, packed]) },
      /bytes after the end of its compressed data/,
    ],
    ['another name in the local header', { name: 'a', content, local: { name: 'b' } }, /"a" differs between/],
    ['another method in the local header', { name: 'a', content, local: { method: 0 } }, /differs between/],
    ['another size in the local header', { name: 'a', content, local: { size: 5 } }, /differs between/],
    ['another CRC in the local header', { name: 'a', content, local: { crc: 5 } }, /differs between/],
    ['encrypted in the local header only', { name: 'a', content, local: { flags: 1 } }, /differs between/],
    [
      'no sizes and no descriptor',
      { name: 'a', content, local: { crc: 0, size: 0, packedSize: 0 } },
      /differs between/,
    ],
    [
      'no local header',
      { name: 'a', content, local: { signature: 0 } },
      /not where the central directory says/,
    ],
    [
      'an offset beyond the file',
      { name: 'a', content, offset: 1_000_000 },
      /not where the central directory says/,
    ],
    ['zip64 sizes without the field', { name: 'a', content, local: { size: 0xffffffff } }, /differs between/],
    [
      'a descriptor of another file',
      { ...streamed({ name: 'a', content }), after: descriptor({ name: 'b', content: 'other' }) },
      /data descriptor that differs/,
    ],
    [
      'a descriptor that is missing',
      { ...streamed({ name: 'a', content }), after: Buffer.alloc(0) },
      /descriptor/,
    ],
  ])('%s', async (_, entry, message) => {
    await expectRefusal([entry, HANDLER], message);
  });

  test('overlapping entries', async () => {
    const a: RawEntry = { name: 'a', content };
    const offset = rawZip([HANDLER]).length - 22 - 46 - 'handler.py'.length;
    await expectRefusal([HANDLER, a, { name: 'b', content, offset }], /"a" overlaps another entry/);
    await expectRefusal([HANDLER, a, { name: '__MACOSX/b', content, offset: offset + 20 }], /"a" overlaps/);
  });

  test('an entry whose data reaches into the next', async () => {
    const inner = rawZip([{ name: 'b', content, method: 0 }]).subarray(0, 30 + 1 + content.length);
    const outer: RawEntry = { name: 'a', content: inner, method: 0 };
    await expectRefusal(
      [HANDLER, outer, { name: 'b', content, method: 0, offset: 30 + 10 + deflatedHandler() + 31 }],
      /overlaps/,
    );
  });

  test('data that reaches into the central directory', async () => {
    await expectRefusal([HANDLER, { name: 'a', content, method: 0, packedSize: 60, size: 60 }], /overlaps/);
  });
});

function deflatedHandler(): number {
  return deflateRawSync(Buffer.from(String(HANDLER.content))).length;
}

describe('too much', () => {
  test('200,000 empty files are refused by their count alone', async () => {
    const header = rawZip([{ name: 'a', method: 0 }]);
    const central = header.subarray(31, 31 + 47);
    const many = Buffer.concat([
      header.subarray(0, 31),
      Buffer.concat(Array.from({ length: 200_000 }, () => central)),
      rawZip([], { zip64: true, count: 200_000, directoryOffset: 31 }),
    ]);
    many.writeBigUInt64LE(BigInt(31 + 200_000 * 47), many.length - 22 - 20 + 8);
    await expectRefusal(many, /it has 200000 entries and at most 10000/);
  });

  test('a count of more than zip64 can mean', async () => {
    await expectRefusal(rawZip([HANDLER], { zip64: true, count: 2 ** 52 }), /entries and at most 10000/);
  });

  test('10,001 entries', async () => {
    const entries = Array.from({ length: 10_001 }, (_, index) => ({ name: `f${index}`, method: 0 }));
    await expectRefusal(entries, /10001 entries/);
  });

  test('70,000 entries behind a count that wrapped around', async () => {
    const entries = Array.from({ length: 70_000 }, (_, index) => ({ name: `f${index}`, method: 0 }));
    await expectRefusal(entries, /disagree about the entries/);
  });

  test('more than 10,000 folders in few deep names', async () => {
    const entries = Array.from({ length: 30 }, (_, index) => ({ name: `${index}/${'d/'.repeat(500)}x` }));
    await expectRefusal([HANDLER, ...entries], /above 10000 folders/);
  });

  test('more than 256 MiB by its own words', async () => {
    const big = { content: 'x', size: 100 * 1024 * 1024 };
    const entries = ['a', 'b', 'c'].map((name) => ({ name, ...big }));
    await expectRefusal([HANDLER, ...entries], /"c" brings the zip above 268435456 bytes unpacked/);
  });

  test('sizes whose sum no number holds', async () => {
    const field = Buffer.alloc(16, 0xff);
    const huge = { size: 0xffffffff, packedSize: 0xffffffff, extra: extraField(1, field) };
    await expectRefusal(evil({ name: 'a', ...huge }), /"a" brings the zip above/);
  });

  test('an entry declaring 8 KB that inflates to gigabytes', async () => {
    const chunk = deflateRawSync(Buffer.alloc(64 * 1024 * 1024));
    await expectRefusal(
      evil({ name: 'bomb', packed: chunk, size: 8192 }),
      /"bomb" declares 8192 bytes and holds more/,
    );
  });

  test('the same when it declares enough to be streamed', async () => {
    const chunk = deflateRawSync(Buffer.alloc(64 * 1024 * 1024));
    await expectRefusal(
      evil({ name: 'bomb', packed: chunk, size: 8 * 1024 * 1024 }),
      /declares 8388608 bytes and holds more/,
    );
  });

  test('bytes after the end of a long stream', async () => {
    const long = Buffer.alloc(3 * 1024 * 1024, 'abc');
    const stream = deflateRawSync(long);
    for (const garbage of [1, 200_000]) {
      const bytes = Buffer.concat([stream, Buffer.alloc(garbage)]);
      await expectRefusal(evil({ name: 'a', content: long, packed: bytes }), /bytes after the end/);
    }
    await expectRefusal(evil({ name: 'a', content: long, packed: stream.subarray(0, -1) }), /damaged/);
    await expectRefusal(evil({ name: 'a', content: long, packed: Buffer.alloc(600_000, 0xff) }), /damaged/);
    await expectRefusal(evil({ name: 'a', content: long, crc: 7 }), /checksum/);
    await expectRefusal(evil({ name: 'a', content: long, method: 0, crc: 7 }), /checksum/);
    await expectRefusal(
      evil({ name: 'a', content: long, size: long.length + 1 }),
      /declares 3145729 bytes and holds/,
    );
  });
});
