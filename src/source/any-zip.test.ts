import { createReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { type AsyncZippable, zipSync } from 'fflate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { budget, timeLimit } from '../../test/fuzz/budget.ts';
import { type RawEntry, type RawZipOptions, rawZip, streamed } from '../../test/source/raw-zip.ts';
import { createWorkbench, HANDLER, type Workbench } from '../../test/source/workbench.ts';
import { SlessError } from '../errors.ts';
import { layerFromContext } from './layer.ts';
import { readSource } from './source-files.ts';

let bench: Workbench;
beforeAll(async () => {
  bench = await createWorkbench();
});
afterAll(() => bench[Symbol.asyncDispose]());

/** Names of two characters at most clash often enough, in every way there is. */
const segment = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'A',
    'é',
    'e\u0301',
    'ж',
    '😀',
    'x'.repeat(120),
    '.hidden',
    ' ',
    '-',
    '__proto__',
  ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
);
const path = fc.array(segment, { minLength: 1, maxLength: 5 }).map((segments) => segments.join('/'));
/** fflate recurses without end into a file named as a member of every object; what ends in a slash is a folder. */
const ownPath = path.filter((name) => !(name in {}) && !/[/\\]$/.test(name));
const content = fc.oneof(
  fc.uint8Array({ maxLength: 2000 }),
  fc.string({ maxLength: 200 }).map((text) => Buffer.from(text.repeat(50))),
);

test('any tree that is taken comes back byte for byte, and in one order', async () => {
  const tree = fc.dictionary(ownPath, fc.tuple(content, fc.boolean(), fc.integer({ min: 0, max: 9 })), {
    maxKeys: 12,
  });
  const property = fc.asyncProperty(tree, async (files) => {
    const zippable: AsyncZippable = { 'handler.py': [Buffer.from('h'), { level: 0 }] };
    for (const [name, [bytes, executable, level]] of Object.entries(files)) {
      const attrs = (executable ? 0o100755 : 0o100644) << 16;
      zippable[name] = [bytes, { level: level as 0, os: 3, attrs, mtime: '1981-01-01' }];
    }
    const zip = Buffer.from(zipSync(zippable as Parameters<typeof zipSync>[0]));
    const context = await bench.prepare(zip).catch(expectRefusal);
    if (context === undefined) return;
    const entries = (await bench.entries()).slice(1);
    const wanted: [string, [Uint8Array, boolean, number]][] = [
      ...Object.entries(files),
      ['handler.py', [Buffer.from('h'), false, 0]],
    ];
    const named = new Map(wanted.map(([name, file]) => [normal(name), file]));
    expect(entries.map(({ name }) => name.slice('function/'.length))).toEqual(
      [...named.keys()]
        .filter((name) => !isJunk(name))
        .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
    for (const entry of entries) {
      const [bytes, executable] = named.get(entry.name.slice('function/'.length)) ?? [];
      expect(entry.content.equals(bytes ?? Buffer.alloc(0))).toBe(true);
      expect(entry.mode).toBe(executable === true ? 0o755 : 0o644);
    }
    const texts = await Array.fromAsync(readSource(createReadStream(bench.context)));
    expect(texts.map(({ name }) => name)).toEqual(context.files.map((file) => file.path));
  });
  await fc.assert(property, budget(150));
});

const BASE = rawZip([
  HANDLER,
  streamed({ name: 'lib/util.py', content: 'X = 1\n'.repeat(40) }),
  { name: 'stored.txt', content: 'plain', method: 0 },
  { name: 'данные.txt', content: 'ж', flags: 0x0800 },
  { name: 'bin/', mode: 0o040755, method: 0 },
  { name: 'bin/tool', content: '#!/bin/sh\n', mode: 0o100755 },
]);

/** What a changed zip becomes: the same as before, another tree, or a refusal — never a crash, never a file elsewhere. */
async function tryZip(zip: Buffer): Promise<void> {
  const context = await bench.prepare(zip).catch(expectRefusal);
  expect(await bench.left()).toEqual(
    context === undefined ? ['upload.zip'] : ['context.tar.gz', 'upload.zip'],
  );
  if (context === undefined) return;
  const names = (await bench.entries()).map(({ name }) => name);
  expect(
    names.slice(1).every((name) => name.startsWith('function/') && !name.split('/').includes('..')),
  ).toBe(true);
  await buffer(layerFromContext(createReadStream(bench.context)));
}

function expectRefusal(error: unknown): undefined {
  expect(error).toBeInstanceOf(SlessError);
  expect(['InvalidArchive', 'EntrypointNotFound']).toContain((error as SlessError).code);
  expect((error as SlessError).message).not.toContain(bench.folder);
  return undefined;
}

const BITS = [0x01, 0x80, 0xff];

test(
  'every single byte of a zip changed, and every length it may be cut to',
  async () => {
    for (let at = 0; at < BASE.length; at++) {
      const changed = Buffer.from(BASE);
      changed[at] = (changed[at] ?? 0) ^ (BITS[at % BITS.length] ?? 0);
      await tryZip(changed);
      await tryZip(BASE.subarray(0, at));
    }
  },
  timeLimit(120_000),
);

test(
  'many bytes of a zip changed, moved and repeated',
  async () => {
    const edit = fc.record({
      at: fc.nat(BASE.length - 1),
      bytes: fc.uint8Array({ maxLength: 8 }),
      skip: fc.nat(12),
    });
    const property = fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 6 }), async (edits) => {
      let zip: Buffer = BASE;
      for (const { at, bytes, skip } of edits)
        zip = Buffer.concat([zip.subarray(0, at), bytes, zip.subarray(at + skip)]);
      await tryZip(zip);
    });
    await fc.assert(property, budget(400));
  },
  timeLimit(120_000),
);

test(
  'headers that lie in any combination',
  async () => {
    const lie = fc.option(fc.oneof(fc.nat(100), fc.constantFrom(0, 0xffff, 0xfffffffe, 0xffffffff)), {
      nil: undefined,
    });
    const short = fc.option(fc.oneof(fc.nat(12), fc.nat(0xffff)), { nil: undefined });
    const local = fc.record({ crc: lie, size: lie, packedSize: lie, method: short, flags: short });
    const entry = fc.record({
      name: fc.oneof(path, fc.uint8Array({ maxLength: 10 }).map(Buffer.from)),
      content,
      crc: lie,
      size: lie,
      packedSize: lie,
      offset: lie,
      method: short,
      flags: short,
      mode: short,
      extra: fc.option(fc.uint8Array({ maxLength: 40 }).map(Buffer.from), { nil: undefined }),
      local,
    });
    const options = fc.record({
      count: short,
      directorySize: lie,
      directoryOffset: lie,
      zip64: fc.boolean(),
    });
    const property = fc.asyncProperty(
      fc.array(entry, { maxLength: 5 }),
      options,
      async (entries, zipOptions) => {
        const clean = entries.map((fields) =>
          defined({ ...fields, local: defined(fields.local) }),
        ) as unknown as RawEntry[];
        await tryZip(rawZip([HANDLER, ...clean], defined(zipOptions) as RawZipOptions));
      },
    );
    await fc.assert(property, budget(400));
  },
  timeLimit(120_000),
);

function defined<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function normal(name: string): string {
  const segments = name.replaceAll('\\', '/').split('/');
  return segments
    .filter((segment) => segment !== '' && segment !== '.')
    .join('/')
    .normalize('NFC');
}

function isJunk(name: string): boolean {
  return name === '.DS_Store' || name.endsWith('/.DS_Store') || name.split('/')[0] === '__MACOSX';
}
