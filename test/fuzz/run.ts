import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

/** What can be fuzzed alone: the files whose properties take their budget from `budget.ts`. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  zip: ['test/fuzz/zip.test.ts', 'src/source/any-zip.test.ts'],
  fn: [
    'test/fuzz/fn.test.ts',
    'src/gateway/proxy/front/target.test.ts',
    'src/gateway/proxy/front/request-head.test.ts',
    'src/upstream/response-parser.test.ts',
  ],
  runtimes: ['test/fuzz/runtimes.test.ts', 'test/fuzz/events.test.ts', 'test/fuzz/coverage.test.ts'],
  tokens: ['test/fuzz/tokens.test.ts'],
  hooks: [
    'src/operator/answers.test.ts',
    'src/resources/function/sync.properties.test.ts',
    'src/resources/function/sync.damage.test.ts',
    'src/resources/function/sync.lagging.test.ts',
    'src/resources/trigger/sync.damage.test.ts',
    'src/resources/function-job/sync.damage.test.ts',
    'src/resources/function-job/sync.killed.test.ts',
  ],
  embedded: ['test/contracts/cluster-embedded.test.ts'],
};

const USAGE = `usage: npm run fuzz -- [PART...]

Tries every property of the parts (${Object.keys(PARTS).join(', ')}; all without a word) for FUZZ_SECONDS each: 600 by default, 3600 with SOAK=1.
A failure names its seed and the smallest case; FUZZ_SEED plays it again.
`;

const asked = process.argv.slice(2);
const parts = asked.length === 0 ? Object.keys(PARTS) : asked;
if (parts.some((part) => PARTS[part] === undefined)) {
  process.stderr.write(USAGE);
  process.exit(64);
}
const FUZZ_SECONDS = process.env.FUZZ_SECONDS ?? (process.env.SOAK === '1' ? '3600' : '600');
const limit = String(Number(FUZZ_SECONDS) * 1000 + 120_000);
const vitest = resolve(import.meta.dirname, '../../node_modules/vitest/vitest.mjs');
const files = parts.flatMap((part) => PARTS[part] ?? []);
const { status } = spawnSync(process.execPath, [vitest, 'run', '--testTimeout', limit, ...files], {
  stdio: 'inherit',
  env: { ...process.env, FUZZ_SECONDS },
});
process.exit(status ?? 1);
