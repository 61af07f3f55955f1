import { expect, test } from 'vitest';
import { SETTINGS } from '../../test/hooks/settings.ts';
import { edit, key, requestOf, START, trigger, world } from '../../test/hooks/world.ts';
import type { Logger } from '../ports/logger.ts';
import {
  customizeResponseSchema,
  decorateResponseSchema,
  syncResponseSchema,
} from '../resources/kube/hook.ts';
import { groupKey, KINDS, TENANT_KINDS } from '../resources/kube/kinds.ts';
import { createOperator } from './app.ts';

const lines: string[] = [];
const logger: Logger = {
  debug: () => {},
  info: () => {},
  warn: (_, message) => lines.push(message),
  error: (_, message) => lines.push(message),
  child: () => logger,
};

const operator = createOperator({ settings: SETTINGS, clock: { now: () => START }, logger });

async function post(path: string, body: unknown) {
  const payload = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await operator.request(path, { method: 'POST', body: payload });
  const text = await response.text();
  return { status: response.status, type: response.headers.get('content-type'), json: JSON.parse(text) };
}

const triggerRequest = (parent = trigger('web')) => ({
  controller: {},
  parent,
  children: { [groupKey(KINDS.CronJob)]: {}, [groupKey(KINDS.ConfigMap)]: {} },
  related: {
    [groupKey(KINDS.Namespace)]: {
      team: {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'team', labels: { 'sless.dev/tenant': 'true' } },
      },
    },
    [groupKey(KINDS.Function)]: {},
  },
  finalizing: false,
});

test('a sync is answered with 200 and JSON', async () => {
  const of = world({ s3Key: key(1) });
  const { status, type, json } = await post('/sync/function', requestOf(of));
  expect(status).toBe(200);
  expect(type).toContain('application/json');
  expect(syncResponseSchema.parse(json).children).toHaveLength(1);
});

test('every customize hook names the namespace, and asks for one to few', async () => {
  const parents = {
    function: world().parent,
    trigger: trigger('web'),
    functionjob: { ...trigger('run'), kind: 'FunctionJob', spec: { functionRef: 'hello' } },
  };
  for (const [name, parent] of Object.entries(parents)) {
    const { status, json } = await post(`/customize/${name}`, { controller: {}, parent });
    expect(status).toBe(200);
    for (const rule of customizeResponseSchema.parse(json).relatedResources) {
      expect(rule.resource === 'namespaces' || rule.namespace === 'team').toBe(true);
      expect((rule.names === undefined) !== (rule.labelSelector === undefined)).toBe(true);
    }
  }
});

test('customize depends on name and spec alone', async () => {
  const of = world();
  const before = await post('/customize/function', { controller: {}, parent: of.parent });
  edit(of, { env: { A: 'b' } });
  const parent = { ...of.parent, status: { phase: 'Ready' } };
  expect(await post('/customize/function', { controller: {}, parent })).toEqual(before);
});

test('a Trigger gets its label; a name that is no label gives none', async () => {
  const decorate = (object: unknown) =>
    post('/decorate/trigger', { controller: {}, object, attachments: {}, related: {}, finalizing: false });
  const { json } = await decorate(trigger('web'));
  expect(decorateResponseSchema.parse(json)).toEqual({
    labels: { 'sless.dev/function': 'hello' },
    attachments: [],
  });
  const { json: none } = await decorate(trigger('web', { functionRef: '../etc' }));
  expect(none).toEqual({ attachments: [] });
});

test('decorators without work answer quietly', async () => {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } };
  const job = { ...trigger('run'), kind: 'FunctionJob' };
  for (const [path, object] of [
    ['namespace', namespace],
    ['functionjob', job],
  ] as const) {
    const kinds = path === 'namespace' ? Object.values(TENANT_KINDS) : [];
    const attachments = Object.fromEntries(kinds.map((kind) => [groupKey(kind), {}]));
    const body = { controller: {}, object, attachments, related: {}, finalizing: false };
    expect((await post(`/decorate/${path}`, body)).json).toEqual({ attachments: [] });
  }
});

test('triggers and jobs are synced', async () => {
  expect((await post('/sync/trigger', triggerRequest())).json.status.message).toContain('no Function hello');
  const request = triggerRequest();
  const parent = { ...trigger('run'), kind: 'FunctionJob', spec: { functionRef: 'hello', runID: 0 } };
  const children = { [groupKey(KINDS.Job)]: {}, [groupKey(KINDS.ConfigMap)]: {} };
  const { json } = await post('/sync/functionjob', { ...request, parent, children });
  expect(json.status).toMatchObject({ phase: 'Skipped', message: 'nothing is run until runID is 1 or more' });
});

test('a request that is not one is refused with its path', async () => {
  const good = requestOf(world());
  const cases: [unknown, string][] = [
    ['', 'body: must be JSON'],
    ['null', 'body'],
    [{ ...good, extra: 1 }, 'extra'],
    [{ ...good, parent: undefined }, 'parent'],
    [{ ...good, parent: { ...good.parent, kind: 'Trigger' } }, 'parent: must be a Function'],
    [{ ...good, children: {} }, 'body.children["Deployment.apps/v1"]'],
    [{ ...good, children: { ...good.children, 'Secret.v1': {} } }, 'Secret.v1'],
    [{ ...good, related: {} }, 'body.related["Namespace.v1"]'],
    [
      { ...good, children: { ...good.children, 'Job.batch/v1': { 'team/x': null } } },
      'body.children["Job.batch/v1"]["team/x"]',
    ],
    [{ ...good, finalizing: 'no' }, 'finalizing'],
  ];
  for (const [body, wrong] of cases) {
    const { status, json } = await post('/sync/function', body);
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: 'InvalidRequest', error: expect.stringContaining(wrong) });
  }
});

test('a body beyond 32 MiB is refused, one below is not', async () => {
  const padded = (size: number) => ({ ...requestOf(world()), controller: 'x'.repeat(size) });
  expect((await post('/sync/function', padded(31 * 1024 * 1024))).status).toBe(200);
  expect((await post('/sync/function', padded(32 * 1024 * 1024))).status).toBe(413);
});

test('a body that is said to be too long is refused before it is read', async () => {
  const headers = { 'content-length': String(33 * 1024 * 1024) };
  const response = await operator.request('/sync/function', { method: 'POST', body: '{}', headers });
  expect(response.status).toBe(413);
});

test('a hook that fails says so without its insides, and the log names the object', async () => {
  const settings = { ...SETTINGS, functions: { ...SETTINGS.functions, runtimes: null as never } };
  const broken = createOperator({ settings, clock: { now: () => START }, logger });
  lines.length = 0;
  const body = JSON.stringify(requestOf(world({ s3Key: key(1) })));
  const response = await broken.request('/sync/function', { method: 'POST', body });
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({
    error: '/sync/function failed for Function team/hello',
    code: 'Internal',
  });
  expect(lines).toEqual(['hook failed']);
});

test('a path that is no hook is 404, health is 200', async () => {
  expect((await post('/sync/nothing', {})).status).toBe(404);
  for (const path of ['/healthz', '/readyz']) expect((await operator.request(path)).status).toBe(200);
});
