import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KINDS } from '../../src/resources/kube/kinds.ts';
import type { KubeObject } from '../../src/resources/kube/object.ts';
import { type ApiServer, startApi, type Tenant, tenantOf } from './api-server.ts';

let api: ApiServer;
let alice: Tenant;
/** Pods that take their time to end. */
let slow: KubeObject[] = [];

beforeAll(async () => {
  api = await startApi({
    options: { deleteWaitMs: 300 },
    deps: ({ cluster }) => ({
      cluster: {
        ...cluster,
        list: async (query, page) => (query.kind === KINDS.Pod ? { items: slow } : cluster.list(query, page)),
      },
    }),
  });
  alice = await tenantOf(api, 'alice');
});
afterAll(() => api.close());

const refOf = (name: string) => ({ kind: KINDS.FunctionJob, namespace: alice.namespace, name });
const create = (name: string, more: object = {}) =>
  alice.ask('POST', '/jobs', { name, function: 'hello', ...more });

describe('create', () => {
  it('answers the job, labelled with its function', async () => {
    const answer = await create('migrate', { event_json: '{"to":7}', run_id: 1, retries: 2 });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      name: 'migrate',
      namespace: alice.namespace,
      function: 'hello',
      event_json: '{"to":7}',
      run_id: 1,
      retries: 2,
      timeout_seconds: 600,
      ttl_seconds_after_finished: null,
      phase: 'Pending',
      result: null,
      message: 'waiting for the operator',
      attempts: 0,
      start_time: null,
      completion_time: null,
      conditions: [],
    });
    const stored = await api.cluster.get(refOf('migrate'));
    expect(stored?.metadata.labels).toEqual({ 'sless.dev/function': 'hello' });
    expect((await alice.ask('GET', '/jobs/migrate')).body).toEqual(answer.body);
  });

  it('runs nothing where no run is named', async () => {
    expect((await create('later')).body).toMatchObject({
      run_id: 0,
      event_json: null,
      message: 'nothing is run until run_id is 1 or more: a PATCH of it starts a run',
    });
  });

  it.each([
    ['an event that is no JSON', { event_json: '{' }, `event_json: must be JSON text, such as '{"a":1}'`],
    [
      'an event that is an object',
      { event_json: { a: 1 } },
      `event_json: must be JSON text, such as '{"a":1}'`,
    ],
    ['an event beyond 96 KiB', { event_json: `"${'x'.repeat(98_304)}"` }, 'event_json:'],
    ['a run below 0', { run_id: -1 }, 'run_id:'],
    ['a run that is no whole number', { run_id: 1.5 }, 'run_id:'],
    ['a run that JavaScript cannot tell from its neighbour', { run_id: 2 ** 53 }, 'run_id:'],
    ['eleven retries', { retries: 11 }, 'retries:'],
    ['more than a day', { timeout_seconds: 86_401 }, 'timeout_seconds:'],
    ['unknown fields', { runID: 1 }, 'runID: there is no such field'],
    ['a function elsewhere', { function: 'other/hello' }, 'function:'],
    ['a name of 41 characters', { name: 'x'.repeat(41) }, 'name:'],
  ])('refuses %s', async (_, more, message) => {
    const answer = await create('bad', more);
    expect(answer).toMatchObject({ status: 400, body: { code: 'InvalidRequest' } });
    expect(answer.body.error).toContain(message);
  });

  it('takes an event of 96 KiB, and a run beyond 32 bits', async () => {
    const event = `"${'x'.repeat(98_302)}"`;
    expect((await create('large', { event_json: event, run_id: 4_294_967_296 })).body).toMatchObject({
      event_json: event,
      run_id: 4_294_967_296,
    });
  });

  it('refuses a name that is taken', async () => {
    expect(await create('migrate')).toMatchObject({ status: 409, body: { code: 'AlreadyExists' } });
  });
});

describe('patch', () => {
  it('raises the run, and replaces each named field whole', async () => {
    const answer = await alice.ask('PATCH', '/jobs/migrate', { run_id: 2, event_json: null, retries: null });
    expect(answer).toMatchObject({ status: 200, body: { run_id: 2, event_json: null, retries: 0 } });
    expect((await api.cluster.get(refOf('migrate')))?.spec).toMatchObject({ functionRef: 'hello', runID: 2 });
  });

  it.each([{ function: 'other' }, { name: 'other' }, { event_json: 'x' }, { phase: 'Succeeded' }])(
    'refuses %j',
    async (body) => {
      expect(await alice.ask('PATCH', '/jobs/migrate', body)).toMatchObject({ status: 400 });
    },
  );

  it('is 404 where there is none', async () => {
    expect(await alice.ask('PATCH', '/jobs/gone', { run_id: 2 })).toMatchObject({ status: 404 });
  });
});

describe('what is shown', () => {
  const statusOf = async (name: string, status: object) => {
    const generation = (await api.cluster.get(refOf(name)))?.metadata.generation;
    await api.cluster.patch(
      refOf(name),
      { status: { observedGeneration: generation, ...status } },
      { subresource: 'status' },
    );
  };

  it('is the status, once the operator has seen what is wanted', async () => {
    await create('told', { run_id: 1 });
    await statusOf('told', {
      phase: 'Succeeded',
      runID: 1,
      result: '{"ok":true}',
      message: 'run 1 succeeded',
      attempts: 1,
      startTime: '2026-01-02T03:04:05Z',
      completionTime: '2026-01-02T03:04:06Z',
    });
    expect((await alice.ask('GET', '/jobs/told')).body).toMatchObject({
      phase: 'Succeeded',
      result: '{"ok":true}',
      attempts: 1,
      completion_time: '2026-01-02T03:04:06Z',
    });
    const raised = await alice.ask('PATCH', '/jobs/told', { run_id: 2 });
    expect(raised.body).toMatchObject({
      phase: 'Pending',
      result: null,
      message: 'waiting for the operator',
    });
  });

  it('comes in pages', async () => {
    const first = await alice.ask('GET', '/jobs?limit=1');
    expect(first.body.items).toHaveLength(1);
    const rest = await alice.ask('GET', `/jobs?cursor=${first.body.next}`);
    expect((rest.body.items as { name: string }[]).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['migrate', 'told']),
    );
  });
});

describe('delete', () => {
  const owned = (
    kind: 'Job' | 'Pod',
    name: string,
    owner: { kind: string; uid: string; apiVersion: string },
  ) => ({
    ...(kind === 'Job' ? { apiVersion: 'batch/v1', kind } : { apiVersion: 'v1', kind }),
    metadata: {
      name,
      namespace: alice.namespace,
      labels: { 'sless.dev/function-job': 'ending' },
      ownerReferences: [
        { ...owner, name: kind === 'Job' ? 'ending' : 'run', controller: true, blockOwnerDeletion: false },
      ],
    },
    spec: {
      ...(kind === 'Job'
        ? { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } }
        : { containers: [{ name: 'c', image: 'i' }] }),
    },
  });

  it('waits for what runs, and says when that takes longer', async () => {
    await create('ending', { run_id: 1 });
    const uid = (await api.cluster.get(refOf('ending')))?.metadata.uid ?? '';
    const { apiVersion, kind } = KINDS.FunctionJob;
    const job = await api.cluster.create(owned('Job', 'run', { apiVersion, kind, uid }));
    slow = [owned('Pod', 'pod', { apiVersion: 'batch/v1', kind: 'Job', uid: job.metadata.uid ?? '' })];
    const answer = await alice.ask('DELETE', '/jobs/ending');
    expect(answer).toMatchObject({ status: 202, body: { message: 'deleted; its run is still ending' } });
    expect(await alice.ask('GET', '/jobs/ending')).toMatchObject({ status: 404 });
  });

  it('is 204 where nothing runs, and 404 the second time', async () => {
    expect((await alice.ask('DELETE', '/jobs/later')).status).toBe(204);
    expect((await alice.ask('DELETE', '/jobs/later')).status).toBe(404);
  });
});
