import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openPrivately } from './sqlite-file.ts';

const nothing = () => {};
const before = process.cwd();
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sless-sqlite-'));
  process.chdir(folder);
});
afterEach(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true });
});

it('makes the file and its folder readable by this user alone', () => {
  openPrivately(join(folder, 'state', 'a.db'), nothing).close();
  expect(statSync(join(folder, 'state')).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, 'state', 'a.db')).mode & 0o777).toBe(0o600);
});

it('leaves no file behind for a database in memory', () => {
  openPrivately(':memory:', nothing).close();
  expect(existsSync(':memory:')).toBe(false);
});
