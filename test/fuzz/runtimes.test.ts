import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { runnableRuntimes } from '../../src/local/runnable.ts';
import { loadRuntimes } from '../../src/runtimes/catalogue.ts';
import { searchPath } from '../runtimes/server.ts';
import { budget, timeLimit } from './budget.ts';
import { agreement, anyRequests, exchange, serveSeeing } from './http.ts';

const catalogue = loadRuntimes(join(import.meta.dirname, '../../runtimes'));
const { runtimes, missing } = await runnableRuntimes(catalogue, { PATH: searchPath() });
for (const { name } of missing) console.warn(`SKIPPED: requests are not compared with what ${name} reads`);
const served = await Promise.all([...runtimes.values()].map(serveSeeing));
afterAll(() => Promise.all(served.map((one) => one.end())));

test('whatever comes over a connection, all runtimes that take a request see the same one, and none falls', {
  timeout: timeLimit(120_000),
}, async () => {
  const counts = { taken: 0, agreed: 0, runs: 0 };
  const property = fc.asyncProperty(anyRequests, async (requests) => {
    const answers = await Promise.all(served.map(({ port }) => exchange(port, requests)));
    for (const each of answers) expect(each.map(({ status }) => status)).not.toContain(500);
    const [first = [], ...others] = answers;
    for (const other of others) {
      const { both, agree } = agreement(first, other);
      counts.taken += both.length;
      counts.agreed += Number(agree);
      for (const [one, another] of both)
        expect(JSON.parse(one.saw ?? '')).toEqual(JSON.parse(another.saw ?? ''));
    }
    counts.runs += 1;
  });
  await fc.assert(property, budget(400));
  console.log('requests', counts);
  expect(counts.taken).toBeGreaterThan(served.length > 1 ? 200 : -1);
  for (const { child, output } of served) {
    expect(child.exitCode).toBeNull();
    expect(output()).not.toContain('fault of the runtime');
  }
});
