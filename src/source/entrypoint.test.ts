import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RawEntry } from '../../test/source/raw-zip.ts';
import { createWorkbench, failure, HANDLER, type Workbench } from '../../test/source/workbench.ts';

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
