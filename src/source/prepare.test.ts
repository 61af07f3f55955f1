import { createHash, randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { extraField, type RawEntry, rawZip, streamed, zip64Entry } from '../../test/source/raw-zip.ts';
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
    const { crc32 } = await import('node:zlib');
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

describe('the root folder', () => {
  test('only `myfn/handler.py`, with `__MACOSX/` and `.DS_Store` beside it: stripped', async () => {
    const junk = named('__MACOSX/myfn/._handler.py', '.DS_Store', 'myfn/.DS_Store');
    const [handler, util] = [{ ...HANDLER, name: 'myfn/handler.py' }, { name: 'myfn/lib/util.py' }];
    expect(await pathsOf([{ name: 'myfn/' }, { name: '__MACOSX/' }, handler, util, ...junk])).toEqual([
      'handler.py',
      'lib/util.py',
    ]);
  });

  test('is stripped once, and only when everything lies in it', async () => {
    expect(await pathsOf(named('a/b/handler.py', 'a/b/x'), 'b.handler.handle')).toEqual([
      'b/handler.py',
      'b/x',
    ]);
    expect(await pathsOf(named('a/x.py', 'handler.py'))).toEqual(['a/x.py', 'handler.py']);
  });

  test('stays when the entrypoint lies in it as in a package', async () => {
    expect(await pathsOf(named('pkg/handler.py'), 'pkg.handler.handle')).toEqual(['pkg/handler.py']);
    expect(await pathsOf(named('pkg/handler.py'), 'pkg/handler.handle')).toEqual(['pkg/handler.py']);
    expect(await pathsOf(named('pkg/__init__.py'), 'pkg.handle')).toEqual(['pkg/__init__.py']);
  });

  test('is stripped when the entrypoint can be found inside it, whatever the folder is called', async () => {
    expect(await pathsOf(named('handler/handler.py', 'handler/__init__.py'))).toEqual([
      '__init__.py',
      'handler.py',
    ]);
    expect(await pathsOf(named('p/p/handler.py'), 'p.handler.handle')).toEqual(['p/handler.py']);
  });
});

describe('the entrypoint', () => {
  test.each([
    ['handler.handle', ['handler.py']],
    ['handler.handle', ['handler/__init__.py', 'x']],
    ['api.v1.users.list', ['api/v1/users.py', 'x']],
    ['api/v1/users.list', ['api/v1/users.py', 'x']],
  ])('%s is found in %j', async (entrypoint, names) => {
    expect(await pathsOf(named(...names), entrypoint)).toEqual(names);
  });

  test('missing: says what was looked for and what was found', async () => {
    const error = await failure(bench.prepare(named('main.py', 'lib/handler.py', 'lib/x.py', 'Handler.py')));
    expect(error).toMatchObject({ code: 'EntrypointNotFound', http: 400 });
    expect(error.message).toBe(
      'entrypoint "handler.handle" (Python 3.11): looked for "handler.py" or "handler/__init__.py"; found "Handler.py", "lib/", "main.py"',
    );
    expect(await bench.left()).toEqual(['upload.zip']);
  });

  test('missing inside a stripped folder: says so', async () => {
    const error = await failure(bench.prepare(named('myfn/main.py')));
    expect(error.message).toMatch(/found "main\.py" inside the folder "myfn"$/);
  });

  test('missing among many: the list is bounded', async () => {
    const error = await failure(
      bench.prepare(named(...Array.from({ length: 500 }, (_, index) => `f${index}`))),
    );
    expect(error.message).toMatch(/ and 480 more$/);
    expect(error.message.length).toBeLessThan(500);
  });

  test('that is no module.function', async () => {
    const error = await failure(bench.prepare([HANDLER], { entrypoint: 'handler' }));
    expect(error).toMatchObject({ code: 'EntrypointNotFound' });
    expect(error.message).toMatch(/an entrypoint is module\.function/);
  });
});

describe('the build', () => {
  test('with a manifest of the runtime in the root is done by the Dockerfile, as root and back', async () => {
    const { strategy, dockerfile } = await bench.prepare([HANDLER, { name: 'requirements.txt' }]);
    expect(strategy).toBe('dockerfile');
    expect(dockerfile.split('\n')).toEqual([
      'ARG RUNTIME_IMAGE',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Docker's placeholder
      'FROM ${RUNTIME_IMAGE}',
      'COPY function/ /app/function/',
      'USER root',
      'RUN pip install -r /app/function/requirements.txt',
      'USER 65532:65532',
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
