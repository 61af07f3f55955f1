import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createWorkbench } from '../../test/source/workbench.ts';
import { codeHash, comparePaths } from './code-hash.ts';

const fileSchema = z.object({
  path: z.string(),
  executable: z.boolean(),
  content: z.string().optional(),
  content_base64: z.string().optional(),
});
const vectors = z
  .object({
    files: z.array(z.object({ name: z.string(), files: z.array(fileSchema), code_hash: z.string() })).min(10),
    trees: z.array(
      z.object({
        name: z.string(),
        entrypoint_files: z.array(z.string()),
        entries: z.array(z.object({ name: z.string(), executable: z.boolean(), content: z.string() })),
        paths: z.array(z.string()),
        code_hash: z.string(),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(new URL('../../test/vectors/code-hash.json', import.meta.url), 'utf8')));

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

describe('the vectors that other implementations share', () => {
  test.each(vectors.files)('files: $name', ({ files, code_hash }) => {
    const hashed = files.map(({ path, executable, content, content_base64 }) => ({
      path,
      executable,
      sha256: sha256(
        content_base64 === undefined ? Buffer.from(content ?? '') : Buffer.from(content_base64, 'base64'),
      ),
    }));
    expect(codeHash(hashed)).toBe(code_hash);
    expect(codeHash(Object.freeze(hashed.toReversed()))).toBe(code_hash);
  });

  test.each(vectors.trees)('trees: $name', async ({ entries, entrypoint_files, paths, code_hash }) => {
    await using bench = await createWorkbench();
    const zip = entries.map(({ name, executable, content }) => ({
      name,
      content,
      mode: executable ? 0o100755 : 0o100644,
      method: name.endsWith('/') ? 0 : 8,
    }));
    const module = entrypoint_files[0]?.replace(/\.py$/, '') ?? '';
    const context = await bench.prepare(zip, { entrypoint: `${module}.handle` });
    expect(context.files.map(({ path }) => path)).toEqual(paths);
    expect(context.codeHash).toBe(code_hash);
  });
});

test('paths are ordered by their UTF-8 bytes, where UTF-16 units would differ', () => {
  expect(['\u{1F600}', '\uFF01', 'a/b', 'a', 'a.b', 'a-b'].sort(comparePaths)).toEqual([
    'a',
    'a-b',
    'a.b',
    'a/b',
    '\uFF01',
    '\u{1F600}',
  ]);
});
