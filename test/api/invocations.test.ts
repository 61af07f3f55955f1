import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqliteInvocationLog } from '../../src/adapters/invocation-log/sqlite.ts';
import type { Invocation } from '../../src/ports/invocation-log.ts';
import { type ApiServer, startApi, type Tenant, tenantOf } from './api-server.ts';

const log = openSqliteInvocationLog(':memory:');
let api: ApiServer;
let alice: Tenant;
let bob: Tenant;

beforeAll(async () => {
  api = await startApi({ deps: () => ({ invocations: log }) });
  alice = await tenantOf(api, 'alice');
  bob = await tenantOf(api, 'bob');
  for (const tenant of [alice, bob])
    await tenant.ask('POST', '/functions', { name: 'hello', runtime: 'python3.11' });
});
afterAll(async () => {
  await api.close();
  await log.close();
});

const START = Date.parse('2026-03-01T12:00:00.123Z');
const call = (fields: Partial<Invocation> = {}): Invocation => ({
  id: randomUUID(),
  namespace: alice.namespace,
  function: 'hello',
  trigger: 'http',
  startedAt: START,
  durationMs: 1.5,
  outcome: 'ok',
  status: 200,
  bytesIn: 1,
  bytesOut: 2,
  attempt: 1,
  ...fields,
});

describe('invocations', () => {
  it('are listed newest first, page after page, each with every field', async () => {
    const few = call();
    const full = call({
      startedAt: START + 1,
      trigger: 'event',
      triggerName: 'orders',
      outcome: 'failed',
      status: 504,
      reason: 'FunctionTimeout',
      attempt: 2,
      requestId: 'r-1',
      traceId: '0af7651916cd43dd8448eb211c80319c',
    });
    await log.append([few, full]);
    const first = await alice.ask('GET', '/functions/hello/invocations?limit=1');
    expect(first.status).toBe(200);
    expect(first.body).toEqual({
      items: [
        {
          id: full.id,
          namespace: alice.namespace,
          function: 'hello',
          trigger: 'event',
          trigger_name: 'orders',
          started_at: '2026-03-01T12:00:00.124Z',
          duration_ms: 1.5,
          outcome: 'failed',
          status: 504,
          reason: 'FunctionTimeout',
          bytes_in: 1,
          bytes_out: 2,
          attempt: 2,
          request_id: 'r-1',
          trace_id: '0af7651916cd43dd8448eb211c80319c',
        },
      ],
      next: expect.any(String),
    });
    const { next } = first.body as { next: string };
    const second = await alice.ask('GET', `/functions/hello/invocations?limit=1&cursor=${next}`);
    expect(second.body).toMatchObject({
      items: [{ id: few.id, reason: null, trigger_name: null }],
      next: null,
    });
    expect((await alice.ask('GET', `/functions/hello/invocations/${few.id}`)).body).toMatchObject({
      id: few.id,
    });
  });

  it.each([
    ['outcome=failed', 1],
    ['trigger=http&outcome=failed', 0],
    ['status=504', 1],
    ['trigger_name=orders', 1],
    ['request_id=r-1', 1],
    ['since=2026-03-01T12:00:00.124Z', 1],
    ['until=2026-03-01T13:00:00.124%2B01:00', 1],
  ])('are filtered by %s', async (filter, count) => {
    const { status, body } = await alice.ask('GET', `/functions/hello/invocations?${filter}`);
    expect(status).toBe(200);
    expect((body as { items: unknown[] }).items).toHaveLength(count);
  });

  it.each([
    'trigger=mail',
    'outcome=bad',
    'status=42',
    'since=yesterday',
    'limit=501',
    'cursor=x',
    'color=red',
  ])('refuse the question %s and name what is wrong', async (question) => {
    const { status, body } = await alice.ask('GET', `/functions/hello/invocations?${question}`);
    expect(status).toBe(400);
    expect((body as { error: string }).error).toContain(question.split('=', 1)[0]);
  });

  it("are one's own alone", async () => {
    const theirs = call();
    await log.append([theirs]);
    expect((await bob.ask('GET', '/functions/hello/invocations')).body).toMatchObject({ items: [] });
    expect((await bob.ask('GET', `/functions/hello/invocations/${theirs.id}`)).status).toBe(404);
  });

  it('of a function that is not there are not there', async () => {
    expect((await alice.ask('GET', '/functions/none/invocations')).status).toBe(404);
    expect((await alice.ask('GET', `/functions/hello/invocations/${randomUUID()}`)).status).toBe(404);
    expect((await alice.ask('GET', '/functions/hello/invocations/nonsense')).status).toBe(404);
  });
});

it('without a database the routes say what is missing', async () => {
  const bare = await startApi();
  const tenant = await tenantOf(bare, 'alice');
  await tenant.ask('POST', '/functions', { name: 'hello', runtime: 'python3.11' });
  const { status, body } = await tenant.ask('GET', '/functions/hello/invocations');
  expect(status).toBe(501);
  expect(body).toMatchObject({ code: 'NotImplemented', error: expect.stringContaining('DATABASE_URL') });
  await bare.close();
});
