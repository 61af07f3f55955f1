import { afterAll, beforeAll, expect, test } from 'vitest';
import { KINDS } from '../../src/resources/kube/kinds.ts';
import { type ApiServer, startApi, type Tenant, tenantOf } from './api-server.ts';

let api: ApiServer;
let alice: Tenant;

beforeAll(async () => {
  api = await startApi();
  alice = await tenantOf(api, 'alice');
});
afterAll(() => api.close());

const create = (name: string, more: object = {}) =>
  alice.ask('POST', '/functions', { name, runtime: 'nodejs20', ...more });
const trigger = (name: string, fn: string, more: object = {}) =>
  alice.ask('POST', '/triggers', { name, type: 'http', function: fn, ...more });
const enabled = async (name: string) => (await alice.ask('GET', `/triggers/${name}`)).body.enabled;
const press = (name: string, button: 'stop' | 'start') => alice.ask('POST', `/functions/${name}/${button}`);
const annotationsOf = async (name: string) =>
  (await api.cluster.get({ kind: KINDS.Function, namespace: alice.namespace, name }))?.metadata.annotations ??
  {};

test('a function with triggers is stopped by them, and started by those that stop disabled', async () => {
  await create('hello', { replicas: 3 });
  await trigger('web', 'hello');
  await trigger('nightly', 'hello', { type: 'cron', schedule: '@daily' });
  await trigger('off', 'hello', { enabled: false });
  await trigger('other', 'elsewhere');
  expect((await press('hello', 'stop')).status).toBe(202);
  expect(await Promise.all(['web', 'nightly', 'off', 'other'].map(enabled))).toEqual([
    false,
    false,
    false,
    true,
  ]);
  expect((await alice.ask('GET', '/functions/hello')).body.replicas).toBe(3);
  await press('hello', 'stop');
  expect((await press('hello', 'start')).status).toBe(202);
  expect(await Promise.all(['web', 'nightly', 'off'].map(enabled))).toEqual([true, true, false]);
});

test('one that its user enables or disables meanwhile is none of start’s', async () => {
  await create('taken');
  await trigger('mine', 'taken');
  await press('taken', 'stop');
  await alice.ask('PATCH', '/triggers/mine', { enabled: false });
  await press('taken', 'start');
  expect(await enabled('mine')).toBe(false);
});

test('a function without triggers has no replicas while it is stopped, and comes back to what it had', async () => {
  await create('alone', { replicas: 4 });
  expect((await press('alone', 'stop')).body).toMatchObject({ replicas: 0 });
  expect(await annotationsOf('alone')).toMatchObject({ 'sless.dev/stopped-replicas': '4' });
  expect((await press('alone', 'stop')).body).toMatchObject({ replicas: 0 });
  expect((await press('alone', 'start')).body).toMatchObject({ replicas: 4 });
  expect(await annotationsOf('alone')).not.toHaveProperty('sless.dev/stopped-replicas');
});

test('replicas that were set by hand stay so', async () => {
  await create('zero', { replicas: 0 });
  await press('zero', 'stop');
  expect((await press('zero', 'start')).body).toMatchObject({ replicas: 0 });
  await create('raised', { replicas: 2 });
  await press('raised', 'stop');
  await alice.ask('PATCH', '/functions/raised', { replicas: 5 });
  expect((await press('raised', 'start')).body).toMatchObject({ replicas: 5 });
});

test('replicas that another tool has raised meanwhile stay so, and the next start has nothing to bring back', async () => {
  await create('scaled', { replicas: 2 });
  await press('scaled', 'stop');
  const ref = { kind: KINDS.Function, namespace: alice.namespace, name: 'scaled' };
  await api.cluster.patch(ref, { spec: { replicas: 5 } });
  expect((await press('scaled', 'start')).body).toMatchObject({ replicas: 5 });
  await api.cluster.patch(ref, { spec: { replicas: 0 } });
  expect((await press('scaled', 'start')).body).toMatchObject({ replicas: 0 });
});

test('there must be such a function', async () => {
  for (const button of ['stop', 'start'] as const)
    expect(await press('nobody', button)).toMatchObject({ status: 404, body: { code: 'NotFound' } });
});
