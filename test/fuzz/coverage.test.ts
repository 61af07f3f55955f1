import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { runnableRuntimes } from '../../src/local/runnable.ts';
import { loadRuntimes } from '../../src/runtimes/catalogue.ts';
import { searchPath, substitute } from '../runtimes/server.ts';
import { timeLimit } from './budget.ts';

const catalogue = loadRuntimes(join(import.meta.dirname, '../../runtimes'));
const { runtimes } = await runnableRuntimes(catalogue, { PATH: searchPath() });
const python = runtimes.get('python3.11');
if (python === undefined) console.warn('SKIPPED: the Python runtime is not fuzzed (no Python)');

test.skipIf(python === undefined)(
  'whatever leads further into the Python runtime is read or refused, soon',
  {
    timeout: timeLimit(60_000),
  },
  async () => {
    if (python === undefined) return;
    const [program = ''] = substitute(python.local.command);
    const script = join(import.meta.dirname, 'coverage_guided.py');
    const seed = process.env.FUZZ_SEED === undefined ? [] : [process.env.FUZZ_SEED];
    const args = [script, python.folder, process.env.FUZZ_SECONDS ?? '3', ...seed];
    const { stdout } = await promisify(execFile)(program, args);
    console.log(stdout.trim());
    expect(Number(/(\d+) ways/.exec(stdout)?.[1])).toBeGreaterThan(100);
  },
);
