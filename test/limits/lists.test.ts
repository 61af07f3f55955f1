import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiServer, startApi, type Tenant, tenantOf } from '../api/api-server.ts';

let api: ApiServer;
let alice: Tenant;
let bob: Tenant;
const COUNT = 120;

/** As large as a Function can be: its variables hold what JSON writes longest. */
beforeAll(async () => {
  api = await startApi();
  [alice, bob] = [await tenantOf(api, 'alice'), await tenantOf(api, 'bob')];
  const env = { A: '\u0001'.repeat(32_000) };
  for (let i = 0; i < COUNT; i += 1) {
    const name = `f${String(i).padStart(3, '0')}`;
    expect((await alice.ask('POST', '/functions', { name, runtime: 'nodejs20', env })).status).toBe(201);
  }
  await bob.ask('POST', '/functions', { name: 'one', runtime: 'nodejs20' });
}, 60_000);
afterAll(() => api.close());

test('a page of large objects ends before its length, and whoever goes on by `next` misses none', async () => {
  const names: string[] = [];
  const sizes: number[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await alice.ask('GET', `/functions?limit=500&cursor=${encodeURIComponent(cursor)}`);
    const { items, next } = body as { items: { name: string }[]; next: string | null };
    names.push(...items.map(({ name }) => name));
    sizes.push(items.length);
    if (next === null) break;
    cursor = next;
  }
  expect(names).toEqual(Array.from({ length: COUNT }, (_, i) => `f${String(i).padStart(3, '0')}`));
  expect(Math.max(...sizes)).toBeLessThan(COUNT);
  expect((await alice.ask('GET', '/functions?limit=7')).body.items).toHaveLength(7);
});

test('many lists at once of one tenant hold up nobody else, and those beyond the bound are told to come again', async () => {
  const flood = Array.from({ length: 60 }, () => alice.ask('GET', '/functions?limit=500'));
  for (let i = 0; i < 5; i += 1) {
    const { status, body } = await bob.ask('GET', '/functions');
    expect([status, (body.items as unknown[]).length]).toEqual([200, 1]);
  }
  const statuses = (await Promise.all(flood)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(20);
}, 60_000);
