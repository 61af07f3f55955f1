import { createHash, randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RawEntry } from '../../test/source/raw-zip.ts';
import { createWorkbench, failure, HANDLER, PYTHON, type Workbench } from '../../test/source/workbench.ts';
import { codeHash } from './code-hash.ts';
import { prepareContext } from './prepare.ts';

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

describe('a plain zip', () => {
  test('becomes the Dockerfile and the sorted files under function/, verified and described', async () => {
    const util = { name: 'lib/util.py', content: 'X = 1\n' };
    const context = await bench.prepare([util, HANDLER, { name: 'lib/' }]);
    const entries = await bench.entries();
    expect(entries.map(({ name }) => name)).toEqual([
      'Dockerfile',
      'function/handler.py',
      'function/lib/util.py',
    ]);
    expect(entries.map(({ content }) => String(content))).toEqual([
      context.dockerfile,
      HANDLER.content,
      util.content,
    ]);
    expect(context.files).toEqual([
      { path: 'handler.py', size: 36, executable: false, sha256: sha256(HANDLER.content) },
      { path: 'lib/util.py', size: 6, executable: false, sha256: sha256(util.content) },
    ]);
    expect(context).toMatchObject({ codeHash: codeHash(context.files), strategy: 'append' });
    expect(context.size).toBe((await stat(bench.context)).size);
  });

  test('carries no dates and no owners of the machine that zipped it', async () => {
    await bench.prepare([HANDLER]);
    expect(new Set((await bench.entries()).map(({ mtime }) => mtime))).toEqual(
      new Set([Date.UTC(1980, 0, 1)]),
    );
  });

  test('is the same context whatever the order and dates of its entries: the same tree zipped again with new dates', async () => {
    const tree = [HANDLER, ...named('b/c.txt', 'b.txt', 'A.py', 'a.py')];
    const first = await bench.prepare(tree);
    const later = tree.toReversed().map((entry) => ({ ...entry, date: 0x5a21, time: 0x1234, method: 0 }));
    const second = await bench.prepare([{ name: 'b/' }, ...later]);
    expect(second.files).toEqual(first.files);
    expect([second.codeHash, second.contentHash]).toEqual([first.codeHash, first.contentHash]);
  });

  test('year 1970, year 1980 without a day, year 2107', async () => {
    const dates = [0, 0xffff, 0x0021].map((date, index) => ({ name: `${index}`, date, time: 0xffff }));
    expect(await pathsOf([HANDLER, ...dates])).toHaveLength(4);
  });

  test.each([0, 1, 31, 255, 256, 511, 512, 513, 65_535, 65_536, 600_000, 2_500_000])(
    'files of %i bytes',
    async (size) => {
      const content = Buffer.alloc(size, 'The quick brown fox. ');
      await bench.prepare([HANDLER, { name: 'deflated', content }, { name: 'stored', content, method: 0 }]);
      const [, deflated, , stored] = await bench.entries();
      expect(deflated?.content.equals(content)).toBe(true);
      expect(stored?.content.equals(content)).toBe(true);
    },
  );

  test('what is compressed already and stored for that reason is not compressed again', async () => {
    const content = randomBytes(1_000_000);
    const { size } = await bench.prepare([HANDLER, { name: 'picture', content, method: 0 }]);
    expect(size).toBeGreaterThan(content.length);
    expect((await bench.entries()).at(-1)?.content.equals(content)).toBe(true);
  });
});

describe('the build', () => {
  test('with a manifest of the runtime in the root is done by the Dockerfile, without root', async () => {
    const { strategy, dockerfile } = await bench.prepare([HANDLER, { name: 'requirements.txt' }]);
    expect(strategy).toBe('dockerfile');
    expect(dockerfile.split('\n')).toEqual([
      'ARG RUNTIME_IMAGE',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Docker's placeholder
      'FROM ${RUNTIME_IMAGE}',
      'COPY --chown=65532:65532 function/ /app/function/',
      'RUN pip install -r /app/function/requirements.txt',
      '',
    ]);
  });

  test.each([
    ['in a folder', 'lib/requirements.txt'],
    ['of another language', 'package.json'],
    ['in other letters', 'Requirements.txt'],
  ])('with a manifest %s only appends', async (_, name) => {
    expect(await bench.prepare([HANDLER, { name }])).toMatchObject({ strategy: 'append' });
  });

  test('a zip that holds its own `Dockerfile` and `.dockerignore`: ours is used, theirs is plain data', async () => {
    const theirs = named('Dockerfile', '.dockerignore', 'function/Dockerfile');
    const { dockerfile } = await bench.prepare([HANDLER, ...theirs]);
    const entries = await bench.entries();
    expect(entries.map(({ name }) => name)).toEqual([
      'Dockerfile',
      'function/.dockerignore',
      'function/Dockerfile',
      'function/function/Dockerfile',
      'function/handler.py',
    ]);
    expect(String(entries[0]?.content)).toBe(dockerfile);
    expect(String(entries[2]?.content)).toBe('Dockerfile');
  });

  test('depends on the Dockerfile too: the same code for another runtime is another content', async () => {
    const tree = [HANDLER, { name: 'requirements.txt' }];
    const python = await bench.prepare(tree);
    const other = await bench.prepare(tree, { runtime: { ...PYTHON, install: [] } });
    expect(other.codeHash).toBe(python.codeHash);
    expect(other.contentHash).not.toBe(python.contentHash);
  });
});

test('a machine that fails is not the zip, and its paths stay its own', async () => {
  const destination = join(bench.folder, 'no', 'such', 'folder');
  await bench.prepare([HANDLER]);
  for (const zip of [join(bench.folder, 'upload.zip'), join(bench.folder, 'missing.zip')]) {
    const error = await failure(prepareContext(zip, PYTHON, { destination }));
    expect(error).toMatchObject({ name: 'SlessError', code: 'Unavailable', http: 503 });
    expect(error.message).not.toContain(bench.folder);
  }
});

function sha256(content: string | Buffer | undefined): string {
  return createHash('sha256')
    .update(content ?? '')
    .digest('hex');
}
