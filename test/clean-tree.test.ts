import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const SCRIPT = resolve(import.meta.dirname, '../src/codegen/clean-tree.ts');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sless-clean-'));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder });
  git('init', '--quiet');
  writeFileSync(join(folder, 'made'), 'old\n');
  writeFileSync(join(folder, '.gitignore'), 'ignored\n');
  git('add', '.');
  git('-c', 'user.name=a', '-c', 'user.email=a@localhost', 'commit', '--quiet', '-m', 'a');
});
afterEach(() => rmSync(folder, { recursive: true }));

function run(...args: string[]): { code: number | null; err: string } {
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { code: status, err: stderr };
}

test('changes that are not committed yet can be verified', () => {
  appendFileSync(join(folder, 'made'), 'mine\n');
  writeFileSync(join(folder, 'new'), 'mine\n');
  expect(run('begin').code).toBe(0);
  writeFileSync(join(folder, 'ignored'), 'output of a test\n');
  expect(run('end')).toEqual({ code: 0, err: '' });
});

test.each(['made', 'new'])('a change of %s on the way is named', (name) => {
  writeFileSync(join(folder, 'new'), 'mine\n');
  run('begin');
  appendFileSync(join(folder, name), 'generated\n');
  const { code, err } = run('end');
  expect(code).toBe(1);
  expect(err).toMatch(new RegExp(`verify again:\n${name}\n$`));
});

test('what the user has added stays added, and nothing else is', () => {
  writeFileSync(join(folder, 'new'), 'mine\n');
  run('begin');
  run('end');
  expect(execFileSync('git', ['status', '--porcelain'], { cwd: folder, encoding: 'utf8' })).toBe('?? new\n');
});

test('by itself it holds the tree against the commit', () => {
  expect(run().code).toBe(0);
  writeFileSync(join(folder, 'new'), 'mine\n');
  expect(run()).toMatchObject({ code: 1, err: expect.stringContaining('?? new') });
});
