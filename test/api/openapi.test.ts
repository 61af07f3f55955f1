import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { describeApi } from '../../src/gateway/api/describe.ts';
import { KINDS } from '../../src/resources/kube/kinds.ts';
import { type Answer, type ApiServer, startApi, type Tenant, tenantOf } from './api-server.ts';
import { PYTHON, zipOf } from './zips.ts';

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { content?: { 'application/json'?: { schema: object } } }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

const document = JSON.parse(describeApi('0.0.0')) as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    path,
    method: method.toUpperCase(),
    ...operation,
  })),
);
const seen = new Map<string, Set<string>>();
let api: ApiServer;
let alice: Tenant;

beforeAll(async () => {
  api = await startApi();
  const tenant = await tenantOf(api, 'alice', { fresh: true });
  alice = {
    ...tenant,
    ask: async (method, path, body) => check(method, path, await tenant.ask(method, path, body)),
    upload: async (name, zip, query = '') =>
      check('POST', `/functions/${name}/upload${query}`, await tenant.upload(name, zip, query)),
  };
});
afterAll(() => api.close());

/** Every answer's status is documented and its body fits the schema; nothing more is in it than the schema says. */
function check(method: string, path: string, answer: Answer): Answer {
  const [plain = ''] = path.split('?');
  const operation = operations.find(
    (known) =>
      known.method === method &&
      new RegExp(
        `^/v1/namespaces/[^/]+${known.path.replace('/v1/namespaces/{ns}', '').replace(/\{\w+\}/g, '[^/]+')}$`,
      ).test(`/v1/namespaces/x${plain}`),
  );
  if (operation === undefined) throw new Error(`${method} ${path} is not documented`);
  const status = String(answer.status);
  seen.set(operation.operationId, (seen.get(operation.operationId) ?? new Set()).add(status));
  const response = operation.responses[status];
  if (response === undefined) throw new Error(`${method} ${path}: ${status} is not documented`);
  const schema = response.content?.['application/json']?.schema;
  if (schema === undefined) expect(answer.body, `${method} ${path}`).toEqual({ text: '' });
  else expect(() => validator(schema).parse(answer.body), `${method} ${path} ${status}`).not.toThrow();
  return answer;
}

function validator(schema: object): z.ZodType {
  const closed = JSON.parse(
    JSON.stringify({ ...schema, definitions: document.components.schemas }),
    (_, value) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
      const isPlainObject =
        value.type === 'object' && value.properties && value.additionalProperties === undefined;
      const reference = value.$ref?.replace('#/components/schemas/', '#/definitions/');
      return {
        ...value,
        ...(reference === undefined ? {} : { $ref: reference }),
        ...(isPlainObject ? { additionalProperties: false } : {}),
      };
    },
  );
  return z.fromJSONSchema(closed, { defaultTarget: 'openapi-3.0' });
}

it('every operation answers as openapi.json says, in success and in failure', async () => {
  const ref = (name: string) => ({ kind: KINDS.Function, namespace: alice.namespace, name });
  await alice.ask('GET', '/functions');
  await alice.ask('POST', '/ensure');
  await alice.ask('POST', '/ensure');
  const full = {
    name: 'f',
    runtime: 'python3.11',
    env: { A: 'b' },
    secrets: ['fn-a'],
    resources: { requests: { cpu: '1' }, limits: { memory: '1Gi' } },
  };
  await alice.ask('POST', '/functions', full);
  await alice.ask('POST', '/functions', full);
  await alice.ask('POST', '/functions', { name: 'F' });
  await alice.ask('POST', '/functions', { name: 'g', runtime: 'x' });
  await alice.ask('POST', '/functions/f/rebuild');
  await alice.ask('POST', '/functions/f/restart');
  await alice.ask('GET', '/functions/f/source');
  await alice.upload('f', zipOf({}));
  await alice.upload('f', zipOf(PYTHON), '?patch=false');
  const { body } = await alice.upload('f', zipOf(PYTHON));
  await api.cluster.patch(
    ref('f'),
    {
      status: {
        observedGeneration: 2,
        phase: 'Ready',
        message: 'ready',
        image: 'i',
        builtKey: body.s3_key,
        lastBuiltAt: '2026-01-01T00:00:00Z',
        readyReplicas: 1,
        history: [
          {
            key: body.s3_key,
            image: 'i',
            runtimeImage: 'r/sless-runtime-python3.11:v0.1.0',
            builtAt: '2026-01-01T00:00:00Z',
          },
        ],
        conditions: [
          {
            type: 'Ready',
            status: 'True',
            reason: 'Ready',
            message: '',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
        ],
      },
    },
    { subresource: 'status' },
  );
  await alice.ask('GET', '/functions/f');
  await alice.ask('GET', '/functions/nobody');
  await alice.ask('GET', '/functions?limit=1');
  await alice.ask('GET', '/functions?limit=0');
  await alice.ask('PATCH', '/functions/f', { replicas: 0 });
  await alice.ask('PATCH', '/functions/f', { replicas: -1 });
  await alice.ask('PATCH', '/functions/f', { s3_key: 'contexts/other/f/x.tar.gz' });
  await alice.ask('GET', '/functions/f/source');
  await alice.ask('GET', '/functions/f/versions');
  await alice.ask('POST', '/functions/f/rollback', { s3_key: body.s3_key });
  await alice.ask('POST', '/functions/f/rollback', { s3_key: 'x' });
  await alice.ask('POST', '/functions/f/rebuild');
  await alice.ask('POST', '/functions/f/restart');
  await alice.ask('POST', '/triggers', { name: 't', type: 'http', function: 'f' });
  await alice.ask('POST', '/triggers', { name: 't', type: 'http', function: 'f' });
  await alice.ask('POST', '/triggers', { name: 't', type: 'cron', function: 'f' });
  await alice.ask('POST', '/jobs', { name: 'j', function: 'f', event_json: '{}', run_id: 1 });
  await alice.ask('POST', '/jobs', { name: 'j', function: 'f' });
  await alice.ask('POST', '/jobs', { name: 'j', function: 'f', event_json: '{' });
  await alice.ask('GET', '/jobs');
  await alice.ask('GET', '/jobs/j');
  await alice.ask('GET', '/jobs/nobody');
  await alice.ask('PATCH', '/jobs/j', { run_id: 2 });
  await alice.ask('PATCH', '/jobs/j', { run_id: -1 });
  await alice.ask('DELETE', '/jobs/j');
  await alice.ask('POST', '/functions/f/stop');
  await alice.ask('POST', '/functions/f/start');
  await alice.ask('POST', '/functions/nobody/stop');
  await alice.ask('GET', '/triggers');
  await alice.ask('GET', '/triggers/t');
  await alice.ask('GET', '/triggers/nobody');
  await alice.ask('PATCH', '/triggers/t', { enabled: false });
  await alice.ask('PATCH', '/triggers/t', { type: 'cron' });
  await alice.ask('DELETE', '/triggers/t');
  await alice.ask('DELETE', '/triggers/t');
  for (const { method, path, responses } of operations)
    if (responses['501'])
      await alice.ask(method, path.replace('/v1/namespaces/{ns}', '').replace(/\{\w+\}/g, 'f'));
  await alice.ask('DELETE', '/functions/f');
  await alice.ask('DELETE', '/functions/f');
  for (const { operationId, responses } of operations) {
    const wanted = responses['501'] ? /^501$/ : /^20[014]$|^202$/;
    expect(
      [...(seen.get(operationId) ?? [])].some((status) => wanted.test(status)),
      operationId,
    ).toBe(true);
  }
});

it('every request body that the document shows as an example is accepted by its own schema', () => {
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const { example } = schema as { example?: unknown };
    if (example !== undefined) expect(() => validator(schema).parse(example), name).not.toThrow();
  }
});

it('names every operation once, and what each can answer', () => {
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { operationId, responses } of operations)
    expect(Object.keys(responses), operationId).toEqual(expect.arrayContaining(['401', '403', '500', '503']));
});

it('says nothing that is meant for the API server', () => {
  expect(JSON.stringify(document)).not.toContain('x-kubernetes');
});

it('is served to who has a token', async () => {
  const response = await fetch(`${api.url}/v1/openapi.json`, {
    headers: { authorization: `Bearer ${alice.token}` },
  });
  expect(response.headers.get('content-type')).toContain('application/json');
  expect(await response.json()).toEqual(document);
});
