import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RawTarEntry, rawTarGz } from './raw-tar.ts';
import { rawZip } from './raw-zip.ts';
import { HANDLER } from './workbench.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sless-bombs-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Reads a zip or a context in a process of its own: what it became, how long that took, and the memory added. */
const PROGRAM = `
import { createReadStream } from 'node:fs';
import { prepareContext } from ${JSON.stringify(sourceFile('prepare.ts'))};
import { readSource } from ${JSON.stringify(sourceFile('source-files.ts'))};
const runtime = { title: 'Python', entrypoint: 'handler.handle', moduleSuffixes: ['.py'], install: [] };
const [kind, path] = process.argv.slice(1);
const rss = process.memoryUsage.rss();
const start = performance.now();
const reading =
  kind === 'zip'
    ? prepareContext(path, runtime, { destination: path + '.tar.gz' })
    : Array.fromAsync(readSource(createReadStream(path)));
const result = await reading.then(() => 'ok', (error) => error.message);
const milliseconds = performance.now() - start;
console.log(JSON.stringify({ result, milliseconds, addedMB: (process.resourceUsage().maxRSS * 1024 - rss) / 1e6 }));
`;

function sourceFile(name: string): string {
  return new URL(`../../src/source/${name}`, import.meta.url).href;
}

interface Attempt {
  readonly result: string;
  readonly milliseconds: number;
  readonly addedMB: number;
}

async function attempt(kind: 'zip' | 'context', bytes: Buffer): Promise<Attempt> {
  const path = join(folder, 'bomb');
  await writeFile(path, bytes);
  const args = ['--input-type=module', '-e', PROGRAM, kind, path];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Attempt;
}

/** 5 s is what users are promised on an idle machine; memory is what a zip of the largest allowed size may take. */
const PROMISED_MS = 5_000;
const FLAT_MB = 64;
/** Of it the JSON that is shown may be 8 MiB; the rest is what V8 lets lie while 10,000 headers go by. */
const FLAT_SOURCE_MB = 96;

const zeros = Buffer.alloc(64 * 1024 * 1024);
/** 16 GiB of zeros in 16 MiB. */
const gigabytes = (): Buffer => {
  const piece = deflateRawSync(zeros, { finishFlush: 2 });
  return Buffer.concat(Array.from({ length: 256 }, () => piece));
};

test.each<[string, () => Buffer, RegExp]>([
  [
    'an entry declaring 8 KB that inflates to gigabytes',
    () => rawZip([HANDLER, { name: 'bomb', packed: gigabytes(), size: 8192 }]),
    /"bomb" declares 8192 bytes and holds more/,
  ],
  [
    'an entry declaring 200 MB that inflates to gigabytes',
    () => rawZip([HANDLER, { name: 'bomb', packed: gigabytes(), size: 200_000_000 }]),
    /"bomb" declares 200000000 bytes and holds more/,
  ],
  [
    'gigabytes by its own words',
    () => rawZip([HANDLER, { name: 'bomb', packed: gigabytes(), size: 4_000_000_000 }]),
    /"bomb" brings the zip above 268435456 bytes/,
  ],
  [
    'a stream that never says anything',
    () => rawZip([HANDLER, { name: 'bomb', packed: Buffer.alloc(30_000_000), size: 1000 }]),
    /"bomb" (holds compressed data that is damaged|declares)/,
  ],
  [
    '200,000 empty files',
    () =>
      rawZip(
        Array.from({ length: 200_000 }, (_, index) => ({ name: `f/${index}`, method: 0 })),
        { zip64: true },
      ),
    /200000 entries and at most 10000/,
  ],
  [
    '200,000 empty files behind a small count',
    () =>
      rawZip(
        Array.from({ length: 200_000 }, (_, index) => ({ name: `f/${index}`, method: 0 })),
        { count: 9000 },
      ),
    /disagree about the entries/,
  ],
  [
    'the most that is allowed: 256 MiB less a little, in one file',
    () => rawZip([HANDLER, { name: 'big', content: Buffer.alloc(255 * 1024 * 1024) }]),
    /^ok$/,
  ],
])('%s: an answer in under 5 s, memory flat', { timeout: 120_000 }, async (_, zip, message) => {
  const { result, milliseconds, addedMB } = await attempt('zip', zip());
  expect(result).toMatch(message);
  expect(milliseconds).toBeLessThan(PROMISED_MS);
  expect(addedMB).toBeLessThan(FLAT_MB);
});

test.each<[string, () => Buffer, RegExp]>([
  [
    'one file of gigabytes',
    () => contextOf([{ name: 'function/zeros', size: 7 * 1024 ** 3 }], 16),
    /larger than \d+ bytes unpacked/,
  ],
  [
    'gigabytes after the end of the tar',
    () => Buffer.concat([rawTarGz([{ name: 'function/a' }]), contextOf([], 16)]),
    /larger than \d+ bytes unpacked/,
  ],
  [
    'files beyond number',
    () => rawTarGz(Array.from({ length: 100_000 }, (_, index) => ({ name: `function/${index}` }))),
    /more than 10000 files/,
  ],
])(
  '/source of %s: an answer in under 5 s, memory flat',
  { timeout: 120_000 },
  async (_, context, message) => {
    const { result, milliseconds, addedMB } = await attempt('context', context());
    expect(result).toMatch(message);
    expect(milliseconds).toBeLessThan(PROMISED_MS);
    expect(addedMB).toBeLessThan(FLAT_SOURCE_MB);
  },
);

/** Headers without an end, then 64 MiB of zeros so many times. */
function contextOf(entries: readonly RawTarEntry[], times: number): Buffer {
  const headers = gunzipSync(rawTarGz(entries)).subarray(0, -1024);
  const piece = gzipSync(zeros, { level: 1 });
  return Buffer.concat([gzipSync(headers), ...Array.from({ length: times }, () => piece)]);
}
