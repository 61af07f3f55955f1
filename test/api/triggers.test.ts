import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KINDS } from '../../src/resources/kube/kinds.ts';
import { type ApiServer, startApi, type Tenant, tenantOf } from './api-server.ts';

let api: ApiServer;
let alice: Tenant;

beforeAll(async () => {
  api = await startApi();
  alice = await tenantOf(api, 'alice');
  await alice.ask('POST', '/functions', { name: 'hello', runtime: 'nodejs20' });
});
afterAll(() => api.close());

const refOf = (name: string) => ({ kind: KINDS.Trigger, namespace: alice.namespace, name });
const http = (name: string, more: object = {}) =>
  alice.ask('POST', '/triggers', { name, type: 'http', function: 'hello', ...more });

describe('create', () => {
  it('answers the trigger, labelled with its function', async () => {
    const answer = await http('web');
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      name: 'web',
      namespace: alice.namespace,
      type: 'http',
      function: 'hello',
      enabled: true,
      schedule: null,
      time_zone: null,
      payload: null,
      concurrency_policy: null,
      queue: null,
      prefetch: null,
      max_attempts: null,
      dead_letter_queue: null,
      broker_secret: null,
      active: false,
      url: null,
      message: 'waiting for the operator',
      last_run: null,
      conditions: [],
    });
    expect((await api.cluster.get(refOf('web')))?.metadata.labels).toEqual({ 'sless.dev/function': 'hello' });
    expect((await alice.ask('GET', '/triggers/web')).body).toEqual(answer.body);
  });

  it('keeps the fields of cron and event', async () => {
    const cron = {
      name: 'nightly',
      type: 'cron',
      function: 'hello',
      schedule: '30 2 * * *',
      time_zone: 'Europe/Berlin',
      payload: '{"a": 1}',
      concurrency_policy: 'Replace',
    };
    expect(await alice.ask('POST', '/triggers', cron)).toMatchObject({ status: 201, body: cron });
    const event = {
      name: 'orders',
      type: 'event',
      function: 'hello',
      queue: 'orders',
      prefetch: 20,
      max_attempts: 3,
      dead_letter_queue: 'dead',
      broker_secret: 'fn-broker',
    };
    expect(await alice.ask('POST', '/triggers', event)).toMatchObject({ status: 201, body: event });
  });

  it('may come before its function', async () => {
    expect(
      (await alice.ask('POST', '/triggers', { name: 'early', type: 'http', function: 'later' })).status,
    ).toBe(201);
  });

  it.each([
    ['an unknown type', { type: 'smtp' }, 'type:'],
    ['cron without schedule', { type: 'cron' }, 'a cron trigger needs schedule'],
    ['a schedule that is none', { type: 'cron', schedule: '* * * *' }, 'schedule:'],
    ['a schedule that runs backwards', { type: 'cron', schedule: '0 5-1 * * *' }, 'schedule: the hour 5-1'],
    ['a zone of Mars', { type: 'cron', schedule: '@daily', time_zone: 'Mars/X' }, 'time_zone:'],
    [
      'a payload that is no JSON',
      { type: 'cron', schedule: '@daily', payload: '{' },
      'payload: must be JSON',
    ],
    ['event without queue', { type: 'event' }, 'an event trigger needs queue'],
    ['fields of another type', { schedule: '* * * * *', time_zone: 'UTC' }, 'time_zone'],
    ['a function that cannot be', { function: 'a--b' }, 'function:'],
    ['a function elsewhere', { function: 'other/hello' }, 'function:'],
    ['unknown fields', { enable: true }, 'enable: there is no such field'],
    ['a Secret that is not opted in', { type: 'event', queue: 'q', broker_secret: 'db' }, 'broker_secret:'],
  ])('refuses %s', async (_, more, message) => {
    const answer = await http('bad', more);
    expect(answer).toMatchObject({ status: 400, body: { code: 'InvalidRequest' } });
    expect(answer.body.error).toContain(message);
    expect(answer.body.error).not.toMatch(/timeZone|concurrencyPolicy|functionRef/);
  });

  it('names every mistake at once', async () => {
    const { body } = await alice.ask('POST', '/triggers', {
      name: 'A',
      type: 'event',
      prefetch: 0,
      queue: '',
    });
    expect((body.details as string[]).map((line) => line.split(':')[0])).toEqual(
      expect.arrayContaining(['name', 'function', 'prefetch', 'queue']),
    );
  });

  it('refuses a name that is taken', async () => {
    expect(await http('web')).toMatchObject({ status: 409, body: { code: 'AlreadyExists' } });
  });

  it('accepts 52 characters and no more', async () => {
    expect((await http('a'.repeat(52))).status).toBe(201);
    expect((await http('a'.repeat(53))).status).toBe(400);
  });
});

describe('patch', () => {
  it('enables and disables', async () => {
    expect((await alice.ask('PATCH', '/triggers/web', { enabled: false })).body).toMatchObject({
      enabled: false,
    });
    expect((await api.cluster.get(refOf('web')))?.spec).toMatchObject({ enabled: false });
    expect((await alice.ask('PATCH', '/triggers/web', { enabled: null })).body).toMatchObject({
      enabled: true,
    });
  });

  it('replaces what is named, null brings back the default', async () => {
    const answer = await alice.ask('PATCH', '/triggers/nightly', { schedule: '0 3 * * *', time_zone: null });
    expect(answer.body).toMatchObject({ schedule: '0 3 * * *', time_zone: null, payload: '{"a": 1}' });
  });

  it.each([
    ['type', { type: 'cron' }],
    ['function', { function: 'other' }],
    ['name', { name: 'other' }],
    ['what its type does not have', { queue: 'q' }],
    ['what its type must have', { schedule: null }],
  ])('refuses %s', async (what, body) => {
    const name = what === 'what its type must have' ? 'nightly' : 'web';
    expect(await alice.ask('PATCH', `/triggers/${name}`, body)).toMatchObject({ status: 400 });
  });

  it('takes over from a stop, so that a start does not undo it', async () => {
    await http('stopped');
    const stopped = { metadata: { annotations: { 'sless.dev/stopped': 'true' } }, spec: { enabled: false } };
    await api.cluster.patch(refOf('stopped'), stopped);
    await alice.ask('PATCH', '/triggers/stopped', { enabled: false });
    expect((await api.cluster.get(refOf('stopped')))?.metadata.annotations ?? {}).toEqual({});
  });
});

describe('list and delete', () => {
  it('pages by name', async () => {
    const { body } = await alice.ask('GET', '/triggers?limit=2');
    expect(body.items).toHaveLength(2);
    const next = await alice.ask(
      'GET',
      `/triggers?limit=500&cursor=${encodeURIComponent(body.next as string)}`,
    );
    expect(next.body.next).toBeNull();
  });

  it('deletes once', async () => {
    await http('short-lived');
    expect((await alice.ask('DELETE', '/triggers/short-lived')).status).toBe(204);
    expect(await alice.ask('DELETE', '/triggers/short-lived')).toMatchObject({
      status: 404,
      body: { code: 'NotFound', error: 'there is no trigger "short-lived"' },
    });
  });
});

describe('the url of a function', () => {
  const report = (name: string, status: object) =>
    api.cluster.patch(refOf(name), { status }, { subresource: 'status' });
  const urlOf = async () => (await alice.ask('GET', '/functions/hello')).body.url;
  const listedUrl = async () => {
    const { items } = (await alice.ask('GET', '/functions')).body as {
      items: { name: string; url: string }[];
    };
    return items.find(({ name }) => name === 'hello')?.url;
  };

  it('is that of an enabled http trigger', async () => {
    expect(await urlOf()).toBeNull();
    await report('web', { observedGeneration: 99, active: true, url: 'https://x/fn/ns/hello' });
    expect(await urlOf()).toBe('https://x/fn/ns/hello');
    expect(await listedUrl()).toBe('https://x/fn/ns/hello');
    await alice.ask('PATCH', '/triggers/web', { enabled: false });
    expect(await urlOf()).toBeNull();
    expect(await listedUrl()).toBeNull();
  });
});

describe('runs of a cron trigger', () => {
  const labels = { 'sless.dev/component': 'cron', 'sless.dev/trigger': 'runs' };
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
  const ownedBy = (kind: 'Trigger' | 'CronJob', uid = '') => ({
    namespace: alice.namespace,
    labels,
    ownerReferences: [
      {
        apiVersion: kind === 'Trigger' ? 'sless.dev/v1alpha1' : 'batch/v1',
        kind,
        name: 'runs',
        uid,
        controller: true,
        blockOwnerDeletion: false,
      },
    ],
  });

  it('are read from its CronJob and the Jobs of that', async () => {
    await http('runs', { type: 'cron', schedule: '@hourly' });
    const trigger = await api.cluster.get(refOf('runs'));
    const cronJob = await api.cluster.create({
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'runs', ...ownedBy('Trigger', trigger?.metadata.uid) },
      spec: { schedule: '@hourly', jobTemplate: { spec: { template } } },
    });
    expect((await alice.ask('GET', '/triggers/runs')).body).toMatchObject({ last_run: null });
    const status = (of: { kind: typeof KINDS.Job; name: string }, value: object) =>
      api.cluster.patch({ ...of, namespace: alice.namespace }, { status: value }, { subresource: 'status' });
    await status({ kind: KINDS.CronJob, name: 'runs' }, { lastScheduleTime: '2026-01-02T03:00:00Z' });
    expect((await alice.ask('GET', '/triggers/runs')).body).toMatchObject({
      last_run: '2026-01-02T03:00:00Z',
    });
    const report = { reason: 'FunctionError', message: 'the function answered with an error: 500' };
    await api.cluster.create({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name: 'runs-1',
        ...ownedBy('CronJob', cronJob.metadata.uid),
        annotations: { 'sless.dev/report': JSON.stringify(report) },
      },
      spec: { template },
    });
    const failed = { type: 'Failed', status: 'True', reason: 'PodFailurePolicy', message: 'm' };
    await status(
      { kind: KINDS.Job, name: 'runs-1' },
      { startTime: '2026-01-02T03:00:00Z', conditions: [failed] },
    );
    for (const path of ['/triggers/runs', '/triggers']) {
      const { body } = await alice.ask('GET', path);
      const found =
        path === '/triggers/runs'
          ? body
          : (body.items as { name: string }[]).find(({ name }) => name === 'runs');
      expect(found).toMatchObject({ last_run: '2026-01-02T03:00:00Z' });
    }
  });
});
