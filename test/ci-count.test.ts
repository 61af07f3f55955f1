import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const COUNT = resolve(import.meta.dirname, '../.ci/count.mjs');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sless-count-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const vitest = (passed: number, failed: number) =>
  JSON.stringify({ numPassedTests: passed, numFailedTests: failed, numPendingTests: 1, numTodoTests: 0 });
const go = (...events: readonly object[]) =>
  `not JSON\n${events.map((event) => JSON.stringify(event)).join('\n')}\n`;

function count(reports: Readonly<Record<string, string>>, failedSteps = 0) {
  for (const [name, content] of Object.entries(reports)) writeFileSync(join(folder, name), content);
  const { stdout, status } = spawnSync(process.execPath, [COUNT, folder, String(failedSteps)], {
    encoding: 'utf8',
  });
  return { line: stdout.trim(), status };
}

test('tests of vitest and of Go are counted together; what is said of a package is no test', () => {
  const provider = go(
    { Action: 'run', Test: 'TestA' },
    { Action: 'pass', Test: 'TestA' },
    { Action: 'skip', Test: 'TestB' },
    { Action: 'pass' },
  );
  expect(count({ 'unit.json': vitest(5, 0), 'terraform.jsonl': provider })).toEqual({
    line: '6 passed, 0 failed, 2 skipped',
    status: 0,
  });
});

test('a failed test, or a failed step without one, fails the run', () => {
  const failing = go({ Action: 'fail', Test: 'TestA' }, { Action: 'fail' });
  expect(count({ 'unit.json': vitest(5, 0), 'terraform.jsonl': failing })).toMatchObject({
    line: '5 passed, 1 failed, 1 skipped',
    status: 1,
  });
  expect(count({ 'unit.json': vitest(5, 0), 'terraform.jsonl': '' }, 1)).toMatchObject({
    line: '5 passed, 1 failed, 1 skipped',
    status: 1,
  });
});
