import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { loadRuntimes } from '../../src/runtimes/catalogue.ts';
import { stage } from '../proxy/stage.ts';
import { budget, timeLimit } from './budget.ts';
import { agreement, anyRequests, exchange, serveSeeing } from './http.ts';

test('whatever comes over a connection, a function sees behind the proxy what it sees alone', {
  timeout: timeLimit(120_000),
}, async () => {
  const runtime = loadRuntimes(join(import.meta.dirname, '../../runtimes')).get('nodejs20');
  if (runtime === undefined) throw new Error('there is no nodejs20');
  const served = await serveSeeing(runtime);
  onTestFinished(() => served.end());
  const { port, serve, proxy } = await stage({ bodyIdleMs: 1000 });
  serve('ns', 'f', [served.port]);
  const counts = { taken: 0, agreed: 0, runs: 0 };
  const property = fc.asyncProperty(anyRequests, async (requests) => {
    const [behind, alone] = await Promise.all([
      exchange(port, requests, '/fn/ns/f'),
      exchange(served.port, requests),
    ]);
    expect(behind.map(({ status }) => status)).not.toContain(500);
    expect(behind.map(({ status }) => status)).not.toContain(502);
    const { both, agree } = agreement(behind, alone);
    counts.taken += both.length;
    counts.agreed += Number(agree);
    counts.runs += 1;
    for (const [one, other] of both) expect(one.saw).toBe(other.saw);
  });
  await fc.assert(property, budget(400));
  console.log('calls', counts);
  expect(counts.taken).toBeGreaterThan(100);
  await expect.poll(() => [...proxy.stats().routes()].map(({ inFlight }) => inFlight)).toEqual([0]);
});
