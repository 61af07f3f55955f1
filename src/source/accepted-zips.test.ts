import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { extraField, type RawEntry, rawZip, streamed, zip64Entry } from '../../test/source/raw-zip.ts';
import { createWorkbench, HANDLER, type Workbench } from '../../test/source/workbench.ts';

let bench: Workbench;
beforeAll(async () => {
  bench = await createWorkbench();
});
afterAll(() => bench[Symbol.asyncDispose]());

const named = (...names: string[]): RawEntry[] => names.map((name) => ({ name, content: name }));

async function pathsOf(entries: readonly RawEntry[], entrypoint?: string): Promise<string[]> {
  const { files } = await bench.prepare(entries, entrypoint === undefined ? {} : { entrypoint });
  return files.map(({ path }) => path);
}

describe('entries as various tools write them', () => {
  test('`pkg\\util.py` (zipped on Windows) imported by `handler.py`', async () => {
    const entries = [HANDLER, { name: 'pkg\\util.py', mode: 0 }, { name: 'pkg\\', mode: 0 }];
    expect(await pathsOf(entries)).toEqual(['handler.py', 'pkg/util.py']);
  });

  test('`bin/tool` with mode 0755 run by the function; a zip whose modes are all 0', async () => {
    const modes = { tool: 0o100755, odd: 0o100700, plain: 0o100600, none: 0, bits: 0o755, all: 0o104777 };
    const entries = Object.entries(modes).map(([name, mode]) => ({ name: `bin/${name}`, mode }));
    const { files } = await bench.prepare([{ ...HANDLER, mode: 0 }, ...entries]);
    expect(files.filter(({ executable }) => executable).map(({ path }) => path)).toEqual([
      'bin/all',
      'bin/bits',
      'bin/odd',
      'bin/tool',
    ]);
    expect(new Set((await bench.entries()).map(({ mode }) => mode))).toEqual(new Set([0o644, 0o755]));
  });

  test.each([
    ['a signed descriptor', { signed: true }],
    ['an unsigned descriptor', { signed: false }],
    ['a signed zip64 descriptor', { signed: true, long: true }],
    ['an unsigned zip64 descriptor', { signed: false, long: true }],
  ])('sizes after the data: %s', async (_, form) => {
    expect(
      await pathsOf([streamed(HANDLER, form), streamed({ name: 'a', content: 'b' }, form)]),
    ).toHaveLength(2);
  });

  test('a folder flagged to have a descriptor without one', async () => {
    expect(await pathsOf([{ name: 'lib/', flags: 8, method: 0 }, HANDLER])).toEqual(['handler.py']);
  });

  test('zip64', async () => {
    const second = zip64Entry({ name: 'a', content: 'b' }, 0);
    const zip = rawZip([second, HANDLER], { zip64: true });
    const { files } = await bench.prepare(zip);
    expect(files.map(({ path }) => path)).toEqual(['a', 'handler.py']);
  });

  test('bytes before the first header, where the offsets know of them', async () => {
    const { files } = await bench.prepare([HANDLER], {
      zip: { prefix: Buffer.from('#!/usr/bin/env python3\n') },
    });
    expect(files).toHaveLength(1);
  });

  test('bytes between the entries and before the central directory', async () => {
    const entries = [{ ...HANDLER, after: Buffer.from('padding') }, { name: 'a' }];
    const { files } = await bench.prepare(entries, {
      zip: { gap: Buffer.alloc(100), comment: 'made by hand' },
    });
    expect(files).toHaveLength(2);
  });

  test('10,000 entries', async () => {
    const many = Array.from({ length: 9_999 }, (_, index) => ({ name: `f/${index}`, method: 0 }));
    expect(await pathsOf([HANDLER, ...many])).toHaveLength(10_000);
  });
});

describe('names', () => {
  test('`A.py` and `a.py` are two files on Linux; names are composed (NFC)', async () => {
    expect(await pathsOf([HANDLER, ...named('A.py', 'a.py', 'cafe\u0301.py')])).toEqual([
      'A.py',
      'a.py',
      'caf\u00e9.py',
      'handler.py',
    ]);
  });

  test.each([
    ['with the flag', { name: 'привет.py', flags: 0x0800 }],
    ['without the flag', { name: 'привет.py' }],
    [
      'in the code page of Windows',
      { name: Buffer.from([0xaf, 0xe0, 0xa8, 0xa2, 0xa5, 0xe2, 0x2e, 0x70, 0x79]) },
    ],
  ])('Cyrillic file names %s', async (_, entry) => {
    expect(await pathsOf([HANDLER, entry])).toEqual(['handler.py', 'привет.py']);
    expect((await bench.entries()).at(-1)?.name).toBe('function/привет.py');
  });

  test('long names, and names that are not ASCII, survive in the tar', async () => {
    const names = [
      `${'a'.repeat(100)}/${'b'.repeat(120)}/c.txt`,
      `${'д'.repeat(120)}/${'😀'.repeat(60)}.txt`,
      'x'.repeat(91),
    ];
    await bench.prepare([HANDLER, ...named(...names)]);
    const found = (await bench.entries()).map(({ name }) => name);
    for (const name of names) expect(found).toContain(`function/${name}`);
  });

  test('every length of name around the limits of tar', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `${'n'.repeat(60 + index)}`);
    await bench.prepare([HANDLER, ...named(...names)]);
    const contents = (await bench.entries()).filter(({ name }) => name.startsWith('function/n'));
    expect(contents.map(({ name, content }) => name === `function/${content}`)).toEqual(
      names.map(() => true),
    );
  });

  test('the Unicode Path field wins while its checksum fits the name', async () => {
    const name = Buffer.from('_.py');
    const field = (crc: number): Buffer => {
      const head = Buffer.from([1, 0, 0, 0, 0]);
      head.writeUInt32LE(crc, 1);
      return extraField(0x7075, Buffer.concat([head, Buffer.from('ж.py')]));
    };
    expect(await pathsOf([HANDLER, { name, extra: field(crc32(name)) }])).toEqual(['handler.py', 'ж.py']);
    expect(await pathsOf([HANDLER, { name, extra: field(1) }])).toEqual(['_.py', 'handler.py']);
  });

  test('names that other tools give a meaning are plain files', async () => {
    const names = [
      '-rf',
      '$(id)',
      '~',
      'a b',
      '"',
      "'",
      '*',
      'con',
      '__proto__',
      '.hidden',
      'package.json/x',
      '#',
    ];
    expect(await pathsOf([HANDLER, ...named(...names)])).toHaveLength(names.length + 1);
  });
});
