import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { atOnce } from '../../src/bin/at-once.ts';

const PROGRAM = resolve(import.meta.dirname, '../../src/bin/sless.ts');

test.each(['0', '-1', 'x', '1.5', '101', ''])('refuses %j builds at once', (text) => {
  expect(() => atOnce(text)).toThrow(/from 1 to 100/);
});

test('a command that cannot be understood ends with 2 and in words, before anything is looked at', () => {
  // Without settings: what is read later would complain of them, with another code.
  const env = { PATH: process.env.PATH };
  const args = [PROGRAM, 'rebuild', '--all', '--at-once', '0'];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
  expect(stderr).toContain('a whole number from 1 to 100');
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(status).toBe(2);
});
