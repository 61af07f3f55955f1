import { expect, onTestFinished, test } from 'vitest';
import { startApi, tenantOf } from '../api/api-server.ts';
import { pod, stage } from '../proxy/stage.ts';

test('a function that is called more often than it may answers 429 with Retry-After; others are served', async () => {
  const { port } = await pod((request, response) => request.resume().on('end', () => response.end('ok')));
  const set = await stage({ ratePerFunction: 20 });
  for (const name of ['busy', 'quiet']) set.serve('ns', name, [port]);
  const began = performance.now();
  const statuses: number[] = [];
  const quiet: number[] = [];
  const refusals: Response[] = [];
  while (performance.now() - began < 2000) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(`${set.url}/fn/ns/busy`)));
    statuses.push(...answers.map(({ status }) => status));
    refusals.push(...answers.filter(({ status }) => status === 429));
    if (quiet.length < 20) quiet.push((await fetch(`${set.url}/fn/ns/quiet`)).status);
  }
  const passed = statuses.filter((status) => status === 200).length;
  const seconds = (performance.now() - began) / 1000;
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  expect(passed).toBeGreaterThanOrEqual(20);
  expect(passed).toBeLessThanOrEqual(20 + 20 * seconds + 1);
  expect(new Set(quiet)).toEqual(new Set([200]));
  expect(refusals[0]?.headers.get('retry-after')).toBe('1');
  expect(await refusals[0]?.json()).toMatchObject({ code: 'TooManyRequests' });
});

test('a token that asks more often than it may hears 429 with Retry-After; another is served', async () => {
  const api = await startApi({ options: { ratePerToken: 20 } });
  onTestFinished(() => api.close());
  const [alice, bob] = [await tenantOf(api, 'alice'), await tenantOf(api, 'bob')];
  const flood = await Promise.all(Array.from({ length: 200 }, () => alice.ask('GET', '/functions')));
  const refused = flood.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(100);
  expect(refused[0]?.headers.get('retry-after')).toBe('1');
  expect(refused[0]?.body).toMatchObject({ code: 'TooManyRequests' });
  for (let i = 0; i < 10; i += 1) expect((await bob.ask('GET', '/functions')).status).toBe(200);
});
