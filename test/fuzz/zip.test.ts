import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { SlessError } from '../../src/errors.ts';
import { descriptor, type RawEntry, type RawZipOptions, rawZip, streamed } from '../source/raw-zip.ts';
import { createWorkbench, HANDLER, type Workbench } from '../source/workbench.ts';
import { budget, timeLimit } from './budget.ts';

/** Files of a zip as a reader sees them: their content's hash and their name. */
type Files = readonly (readonly [string, string])[];
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function python(): ChildProcess | undefined {
  try {
    execFileSync('python3', ['-c', 'import zipfile'], { stdio: 'ignore' });
  } catch {
    console.warn('SKIPPED: zips are not compared with what Python reads (no python3)');
    return undefined;
  }
  const script = join(import.meta.dirname, 'zip-readers.py');
  return spawn('python3', [script], { stdio: ['pipe', 'pipe', 'inherit'] });
}

let bench: Workbench;
const reader = python();
const answers = reader?.stdout && createInterface(reader.stdout)[Symbol.asyncIterator]();
beforeAll(async () => {
  bench = await createWorkbench();
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  reader?.kill();
});

async function byPython(path: string): Promise<Files | undefined> {
  reader?.stdin?.write(`${path}\n`);
  const { value } = (await answers?.next()) ?? {};
  const { files } = JSON.parse(value ?? '{}') as { files?: [string, string][] };
  return files;
}

async function byYauzl(zip: Buffer): Promise<Files | undefined> {
  try {
    const archive = await fromBufferPromise(zip, { decodeStrings: true, strictFileNames: false });
    const files: [string, string][] = [];
    for await (const entry of archive.eachEntry()) {
      if (entry.fileName.endsWith('/')) continue;
      const stream = await archive.openReadStreamPromise(entry);
      files.push([sha256(await buffer(stream)), entry.fileName]);
    }
    return files;
  } catch {
    return undefined;
  }
}

const isJunk = (name: string): boolean =>
  name.split('/').at(-1) === '.DS_Store' || name.split('/')[0] === '__MACOSX';

/** The contents alone, each as often as it is there: readers differ in how they decode names, and may not in bytes. */
const contentsOf = (files: Files): readonly string[] =>
  files
    .map(([hash, name]) => [hash, name.replaceAll('\\', '/')] as const)
    // Of Windows a folder ends in a backslash, which others take for an empty file.
    .filter(([, name]) => !isJunk(name) && !name.endsWith('/'))
    .map(([hash]) => hash)
    .sort();

const seen = { accepted: 0, refused: 0, compared: 0 };

/** Accepted means: no reader finds other bytes in it. */
async function tryZip(zip: Buffer): Promise<void> {
  const began = performance.now();
  const refusal = await bench.prepare(zip).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(performance.now() - began).toBeLessThan(5000);
  if (refusal !== undefined) {
    seen.refused += 1;
    expect(refusal).toBeInstanceOf(SlessError);
    expect(['InvalidArchive', 'EntrypointNotFound']).toContain((refusal as SlessError).code);
    expect(await bench.left()).toEqual(['upload.zip']);
    return;
  }
  seen.accepted += 1;
  const entries = (await bench.entries()).slice(1);
  for (const { name } of entries) expect(name).toMatch(/^function\/(?!.*(^|\/)\.\.(\/|$))/);
  const ours = entries.map(({ content }) => sha256(content)).sort();
  const others = [await byPython(join(bench.folder, 'upload.zip')), await byYauzl(zip)];
  for (const files of others) {
    if (files === undefined) continue;
    seen.compared += 1;
    expect(ours).toEqual(contentsOf(files));
  }
}

const text = fc.string({ maxLength: 40 }).map((of) => of.repeat(20));
const name = fc.oneof(
  fc.constantFrom(
    'a.txt',
    'lib/b.py',
    'bin\\c',
    'ж.txt',
    '.DS_Store',
    '__MACOSX/x',
    'd/',
    'a',
    'e\u0301',
    'é',
  ),
  fc.string({ minLength: 1, maxLength: 6 }),
);
const whole: fc.Arbitrary<RawEntry> = fc
  .record({
    name,
    content: text,
    method: fc.constantFrom(0, 8),
    flags: fc.constantFrom(0, 0x0800),
    mode: fc.constantFrom(0, 0o100644, 0o100755, 0o040755),
    streams: fc.boolean(),
  })
  .map(({ streams, ...entry }) => (streams && entry.method === 8 ? streamed(entry) : entry));

/** One thing that a structure of a zip says otherwise than it is. */
const number = fc.oneof(fc.nat(70), fc.constantFrom(0, 0xffff, 0xffffffff, 0x7fffffff));
const lie: fc.Arbitrary<Partial<RawEntry>> = fc.oneof(
  ...(['crc', 'size', 'packedSize', 'offset'] as const).map((field) =>
    number.map((value): Partial<RawEntry> => ({ [field]: value })),
  ),
  fc.constantFrom(0, 1, 8, 9, 12, 14, 93, 99).map((method) => ({ method })),
  fc.constantFrom(1, 8, 0x41, 0x0808, 0x2000, 0x20).map((flags) => ({ flags })),
  fc.uint8Array({ maxLength: 30 }).map((bytes) => ({ packed: Buffer.from(bytes) })),
  fc.uint8Array({ maxLength: 30 }).map((bytes) => ({ extra: Buffer.from(bytes) })),
  fc.uint8Array({ maxLength: 30 }).map((bytes) => ({ after: Buffer.from(bytes) })),
  fc.constantFrom(0o120777, 0o010644, 0o060644).map((mode) => ({ mode })),
  fc
    .record({ name, method: fc.constantFrom(0, 8), flags: fc.constantFrom(0, 8, 0x800), crc: number })
    .chain((local) => fc.subarray(Object.entries(local), { minLength: 1 }))
    .map((fields) => ({ local: Object.fromEntries(fields) })),
  fc.tuple(fc.boolean(), fc.boolean()).map(([signed, long]) => ({
    flags: 8,
    after: descriptor({ name: 'x', content: 'x' }, { signed, long }),
  })),
);
const entry = fc.oneof(
  { weight: 4, arbitrary: whole },
  { weight: 1, arbitrary: fc.tuple(whole, lie).map(([of, wrong]): RawEntry => ({ ...of, ...wrong })) },
);
const shape: fc.Arbitrary<RawZipOptions> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.oneof<fc.Arbitrary<RawZipOptions>[]>(
      fc.record({ zip64: fc.boolean() }),
      fc.record({ prefix: fc.uint8Array({ maxLength: 20 }).map(Buffer.from), shifted: fc.boolean() }),
      fc.record({ comment: fc.string({ maxLength: 30 }) }),
      fc.record({ gap: fc.uint8Array({ maxLength: 20 }).map(Buffer.from) }),
      fc.record({ count: fc.nat(5) }),
      fc.record({ directoryOffset: number }),
      fc.record({ directorySize: number }),
      fc.record({ trailing: fc.uint8Array({ maxLength: 20 }).map(Buffer.from) }),
    ),
  },
);

describe('what is accepted holds the bytes that other readers find, whatever was done to', () => {
  const limit = timeLimit(120_000);
  test('the structure of a zip', { timeout: limit }, async () => {
    const zips = fc.tuple(fc.array(entry, { maxLength: 5 }), shape);
    const property = fc.asyncProperty(zips, ([entries, options]) =>
      tryZip(rawZip([HANDLER, ...entries], options)),
    );
    await fc.assert(property, budget(300));
    console.log('zips', seen);
    expect(seen.compared).toBeGreaterThan(50);
  });

  test('two zips that were put together from pieces', { timeout: limit }, async () => {
    const zips = fc
      .tuple(fc.array(whole, { minLength: 1, maxLength: 3 }), fc.array(whole, { minLength: 1, maxLength: 3 }))
      .chain(([first, second]) => {
        const [a, b] = [rawZip([HANDLER, ...first]), rawZip([HANDLER, ...second])];
        return fc.record({
          a: fc.constant(a),
          b: fc.constant(b),
          cut: fc.nat(a.length),
          from: fc.nat(b.length),
        });
      });
    const property = fc.asyncProperty(zips, ({ a, b, cut, from }) =>
      tryZip(Buffer.concat([a.subarray(0, cut), b.subarray(from)])),
    );
    await fc.assert(property, budget(200));
  });
});
