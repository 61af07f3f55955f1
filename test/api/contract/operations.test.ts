import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ErrorCode, SlessError } from '../../../src/errors.ts';
import { KINDS } from '../../../src/resources/kube/kinds.ts';
import { LABELS } from '../../../src/resources/kube/labels.ts';
import { contextPrefix } from '../../../src/source/context-key.ts';
import type { ApiServer } from '../api-server.ts';
import { PYTHON, zipOf } from '../zips.ts';
import { type Call, type Caller, checkedCalls } from './caller.ts';
import { answersOf, operationOf, operations } from './document.ts';
import { GUEST, makePod, REFUSED_CODE, startWorld, type World } from './world.ts';

/*
 * Every operation of the document is called on the real app, and each answer that the document promises is brought about:
 * every good status and every code. `caller.ts` holds each one against its schema. What was not called is told at the end.
 */

const { call, seen } = checkedCalls();
let world: World;
let alice: Caller;

beforeAll(async () => {
  world = await startWorld();
  alice = await world.caller('alice');
  await call(alice, 'ensureNamespace');
});
afterAll(() => world.close());

const upload = (files: Readonly<Record<string, string>> | Uint8Array): Call['body'] => {
  const form = new FormData();
  const zip = files instanceof Uint8Array ? files : zipOf(files);
  form.set('code', new Blob([new Uint8Array(zip)]), 'code.zip');
  return form;
};

const BODIES: Readonly<Record<string, (name: string) => unknown>> = {
  createFunction: (name) => ({ name: `${name}-new`, runtime: 'python3.11' }),
  patchFunction: () => ({ replicas: 2, env: { A: 'b' } }),
  uploadCode: () => upload(PYTHON),
  rollbackFunction: (name) => ({ s3_key: keyOf(name) }),
  createTrigger: (name) => ({ name: `${name}-new`, type: 'http', function: name }),
  patchTrigger: () => ({ enabled: false }),
  createJob: (name) => ({ name: `${name}-new`, function: name, event_json: '{}', run_id: 1 }),
  patchJob: () => ({ run_id: 2 }),
  publishEvent: () => Buffer.from('a message'),
};
const keyOf = (name: string, of: Caller = alice) =>
  `${contextPrefix({ namespace: of.namespace, name })}20260301120000-0f343b0931126a20.tar.gz`;

/** A call that goes well where `setUp` was, for that name. */
function good(id: string, name: string): Call {
  const body = BODIES[id]?.(name);
  return {
    params: { name, queue: 'orders', id: recorded },
    ...(body === undefined ? {} : { body }),
    ...(id.endsWith('Logs') ? { headers: { accept: 'application/x-ndjson' } } : {}),
  };
}

let count = 0;
let recorded = '';
let name: string;

/** A function that was built, a trigger, a job, pods that have written, and a call, all of one name. */
async function setUp(): Promise<void> {
  name = `f${++count}`;
  const { namespace } = alice;
  await call(alice, 'createFunction', { body: { name, runtime: 'python3.11' } });
  await call(alice, 'createTrigger', { body: { name, type: 'cron', function: name, schedule: '0 3 * * *' } });
  await call(alice, 'createJob', { body: { name, function: name } });
  await point(keyOf(name));
  const built = { key: keyOf(name), image: 'i', builtAt: '2026-01-01T00:00:00Z' };
  const history = [{ ...built, runtimeImage: 'r/sless-runtime-python3.11:v0.1.0' }];
  const build = { key: keyOf(name), job: `${name}-b`, uid: 'u' };
  const status = { phase: 'Ready', message: 'ready', image: 'i', builtKey: keyOf(name), readyReplicas: 1 };
  const ref = { kind: KINDS.Function, namespace, name };
  await world.api.cluster.patch(ref, { status: { ...status, history, build } }, { subresource: 'status' });
  await makePod(world.api, { namespace, name });
  await makePod(world.api, { namespace, name, job: `${name}-b` });
  recorded = await world.recorded(namespace, name);
}

/** Points the function at something, as kubectl could, and stores code there when it is told which. */
async function point(key: string | null, stored?: Uint8Array): Promise<void> {
  const ref = { kind: KINDS.Function, namespace: alice.namespace, name };
  await world.api.cluster.patch(ref, { spec: { s3Key: key } });
  if (stored !== undefined && key !== null) await world.api.store.put(key, stored, { size: stored.length });
}

const ids = operations.map(({ operationId }) => operationId);
const may = (...answers: string[]) =>
  ids.filter((id) => answers.some((answer) => answersOf(operationOf(id)).includes(answer)));
const fails = (code: ErrorCode) => () => Promise.reject(new SlessError(code, `the cluster says ${code}`));

describe('an operation does what it is for', () => {
  beforeEach(setUp);
  it.each(ids.filter((id) => !['readSource', 'deleteFunction', 'deleteJob'].includes(id)))(
    '%s',
    async (id) => {
      expect(await call(alice, id, good(id, name))).toMatch(/^20[0124]$/);
    },
  );

  it('readSource: of code that an upload stored', async () => {
    await call(alice, 'uploadCode', { params: { name }, body: upload(PYTHON) });
    expect(await call(alice, 'readSource', { params: { name } })).toBe('200');
  });

  it('ensureNamespace: of a namespace that was not there', async () => {
    expect(await call(await world.caller('newcomer'), 'ensureNamespace')).toBe('201');
  });

  it.each([
    ['deleteFunction', KINDS.Function, 'Deployment', 'apps/v1', LABELS.function],
    ['deleteJob', KINDS.FunctionJob, 'Job', 'batch/v1', LABELS.functionJob],
  ] as const)(
    '%s: 204 when all is gone, 202 while something is still going',
    async (id, kind, child, apiVersion, label) => {
      const { namespace } = alice;
      const uid = (await world.api.cluster.get({ kind, namespace, name }))?.metadata.uid ?? '';
      const owner = { apiVersion: kind.apiVersion, kind: kind.kind, name, uid, controller: true };
      await world.api.cluster.create({
        apiVersion,
        kind: child,
        metadata: {
          name,
          namespace,
          labels: { [label]: name },
          ownerReferences: [owner],
          finalizers: ['test.sless.dev/still-going'],
        },
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: {
            metadata: { labels: { a: 'b' } },
            spec: {
              ...(child === 'Job' ? { restartPolicy: 'Never' } : {}),
              containers: [{ name: 'c', image: 'x' }],
            },
          },
        },
      });
      expect(await call(alice, id, good(id, name))).toBe('202');
      await setUp();
      expect(await call(alice, id, good(id, name))).toBe('204');
    },
  );

  it.each(['readLogs', 'readBuildLogs'])('%s: as text, and as a stream of events', async (id) => {
    const { params } = good(id, name) as { params: Record<string, string> };
    expect(await call(alice, id, { params })).toBe('200');
    expect(await call(alice, id, { params, query: '?follow=true' })).toBe('200');
  });
});

describe('who may not, is told so by every operation', () => {
  beforeEach(setUp);
  it.each(ids)('%s', async (id) => {
    const asked = good(id, name);
    const { namespace } = alice;
    expect(await call({ ...alice, token: '' }, id, asked)).toBe('Unauthenticated');
    expect(await call({ ...alice, token: 'e30.e30.x' }, id, asked)).toBe('Unauthenticated');
    expect(await call({ ...(await world.caller('bob')), namespace }, id, asked)).toBe('Forbidden');
    const guest = await world.caller(GUEST);
    const nowhere =
      id === 'ensureNamespace' ? { ...guest, namespace: 'nowhere' } : await world.caller('nobody');
    expect(await call(nowhere, id, asked)).toBe('NamespaceNotFound');
    expect(await call({ ...guest, namespace: 'plain' }, id, asked)).toBe('NamespaceNotEnabled');
  });
  beforeAll(async () => {
    const metadata = { name: 'plain' };
    await world.api.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata });
  });
});

describe('what is asked for wrongly is refused', () => {
  beforeEach(setUp);
  const WRONG: Readonly<Record<string, Call>> = {
    listFunctions: { query: '?limit=0' },
    listTriggers: { query: '?limit=501' },
    listJobs: { query: '?colour=red' },
    createFunction: { body: { name: 'F' } },
    createTrigger: { body: { name: 't', type: 'cron', function: 'f' } },
    createJob: { body: { name: 'j', function: 'f', event_json: '{' } },
    publishEvent: { params: { queue: 'q'.repeat(256) } },
  };
  it.each(may('InvalidRequest'))('%s: InvalidRequest', async (id) => {
    const wrong = WRONG[id] ?? { ...good(id, name), params: { name: 'Not_A_Name', id: 'x' } };
    expect(await call(alice, id, wrong)).toBe('InvalidRequest');
  });

  it.each(may('PayloadTooLarge'))('%s: PayloadTooLarge', async (id) => {
    const large = Buffer.alloc(34_000_000, ' ');
    const headers = id === 'uploadCode' ? {} : { 'content-type': 'application/json' };
    const body = id === 'uploadCode' ? upload(large) : large;
    expect(await call(alice, id, { ...good(id, name), headers, body })).toBe('PayloadTooLarge');
  });

  it.each(may('UnsupportedMediaType'))('%s: UnsupportedMediaType', async (id) => {
    const asked = { ...good(id, name), headers: { 'content-type': 'text/csv' }, body: Buffer.from('a,b') };
    expect(await call(alice, id, asked)).toBe('UnsupportedMediaType');
  });

  it.each(may('NotFound'))('%s: NotFound', async (id) => {
    expect(await call(alice, id, good(id, 'nobody'))).toBe('NotFound');
  });

  it.each(may('AlreadyExists'))('%s: AlreadyExists', async (id) => {
    await call(alice, id, good(id, name));
    expect(await call(alice, id, good(id, name))).toBe('AlreadyExists');
  });

  it.each(may('UnknownRuntime'))('%s: UnknownRuntime', async (id) => {
    if (id === 'uploadCode')
      await world.api.cluster.patch(
        { kind: KINDS.Function, namespace: alice.namespace, name },
        { spec: { runtime: 'cobol' } },
      );
    const body = { ...(id === 'createFunction' ? { name: 'new' } : {}), runtime: 'cobol' };
    const asked = id === 'uploadCode' ? good(id, name) : { ...good(id, name), body };
    expect(await call(alice, id, asked)).toBe('UnknownRuntime');
  });
});

describe('code that cannot be had', () => {
  beforeEach(setUp);
  const withKey = (id: string, s3_key: string): Call => ({
    ...good(id, name),
    body: { ...(id === 'createFunction' ? { name: `${name}-new`, runtime: 'python3.11' } : {}), s3_key },
  });

  it.each(may('ForbiddenSource'))('%s: ForbiddenSource', async (id) => {
    const foreign = keyOf('other');
    if (id === 'readSource') await point(foreign);
    const asked = id === 'readSource' ? good(id, name) : withKey(id, foreign);
    expect(await call(alice, id, asked)).toBe('ForbiddenSource');
  });

  it.each(may('NoSuchVersion'))('%s: NoSuchVersion', async (id) => {
    const isRead = id.startsWith('read');
    if (isRead) await point(null);
    const absent = keyOf(id === 'createFunction' ? `${name}-new` : name).replace('2026', '2025');
    expect(await call(alice, id, isRead ? good(id, name) : withKey(id, absent))).toBe('NoSuchVersion');
  });

  it.each(may('AwaitingCode'))('%s: AwaitingCode', async (id) => {
    await point(null);
    expect(await call(alice, id, good(id, name))).toBe('AwaitingCode');
  });

  it.each(may('InvalidArchive'))('%s: InvalidArchive', async (id) => {
    await point(keyOf(name), Buffer.from('no archive'));
    const asked =
      id === 'readSource' ? good(id, name) : { params: { name }, body: upload(Buffer.from('no zip')) };
    expect(await call(alice, id, asked)).toBe('InvalidArchive');
  });

  it.each(may('EntrypointNotFound'))('%s: EntrypointNotFound', async (id) => {
    expect(await call(alice, id, { params: { name }, body: upload({ 'main.py': '' }) })).toBe(
      'EntrypointNotFound',
    );
  });

  it.each(may('InvalidCode'))('%s: InvalidCode', async (id) => {
    const body = upload({ 'handler.py': REFUSED_CODE });
    expect(await call(alice, id, { params: { name }, body })).toBe('InvalidCode');
  });
});

describe('an installation that has less, or is busy', () => {
  /** Somebody with a function in an installation. */
  async function resident(sub: string, where: ApiServer): Promise<Caller> {
    const caller = await world.caller(sub, where);
    await call(caller, 'ensureNamespace');
    await call(caller, 'createFunction', { body: { name: 'f', runtime: 'python3.11' } });
    const ref = { kind: KINDS.Function, namespace: caller.namespace, name: 'f' };
    await where.cluster.patch(ref, { spec: { s3Key: keyOf('f', caller) } });
    return caller;
  }
  let poor: Caller;
  let crowded: Caller;
  beforeAll(async () => {
    poor = await resident('poor', world.bare);
    crowded = await resident('crowded', world.full);
  });
  it.each(may('NotImplemented'))('%s: NotImplemented', async (id) => {
    expect(await call(poor, id, good(id, 'f'))).toBe('NotImplemented');
  });
  it.each(ids)('%s: TooManyRequests, of a token that asks too often', async (id) => {
    const caller = await world.caller(`hasty-${id}`, world.hasty);
    await call(caller, 'ensureNamespace');
    expect(await call(caller, id, good(id, 'f'))).toBe('TooManyRequests');
  });
  const crowding = ['uploadCode', 'readSource', 'readLogs', 'readBuildLogs'];
  it.each(crowding)('%s: TooManyRequests, where there is no room', async (id) => {
    const query = id.endsWith('Logs') ? '?follow=true' : '';
    expect(await call(crowded, id, { ...good(id, 'f'), query })).toBe('TooManyRequests');
  });
});

describe('whatever the cluster says, the answer is one that the document knows', () => {
  beforeEach(setUp);
  /** What its port says that each method may fail with. */
  const SAYS = {
    get: ['Forbidden', 'Unavailable'],
    list: ['Gone', 'Invalid', 'Forbidden', 'Unavailable'],
    create: ['AlreadyExists', 'Conflict', 'Invalid', 'Forbidden', 'NotFound', 'Unavailable'],
    patch: ['NotFound', 'Conflict', 'Invalid', 'Forbidden', 'Unavailable'],
    delete: ['NotFound', 'Conflict', 'Forbidden', 'Unavailable'],
  } as const;
  const cases = Object.entries(SAYS).flatMap(([method, codes]) =>
    codes.map((code) => [method, code] as const),
  );
  it.each(ids)('%s', async (id) => {
    for (const [method, code] of cases)
      await world.during({ [method]: fails(code) }, () => call(alice, id, good(id, name)));
  });

  it.each(ids)('%s: Internal and Unavailable, when nothing works', async (id) => {
    const all = (how: () => Promise<never>) => ({
      ...{ get: how, list: how, create: how, patch: how, delete: how },
      everywhere: true,
    });
    const asked = () => call(alice, id, good(id, name));
    expect(await world.during(all(fails('Unavailable')), asked)).toBe('Unavailable');
    expect(
      await world.during(
        all(() => Promise.reject(new Error('unexpected'))),
        asked,
      ),
    ).toBe('Internal');
  });

  it.each(may('Gone'))('%s: Gone, of a cursor that is too old', async (id) => {
    const asked = { query: '?cursor=old' };
    expect(await world.during({ list: fails('Gone') }, () => call(alice, id, asked))).toBe('Gone');
  });

  it.each(may('Conflict'))('%s: Conflict', async (id) => {
    const how = fails('Conflict');
    if (id === 'startFunction') await call(alice, 'stopFunction', good(id, name));
    const going = { create: fails('AlreadyExists'), get: async () => undefined, everywhere: true };
    const faults = id === 'ensureNamespace' ? going : { create: how, patch: how, delete: how };
    expect(await world.during(faults, () => call(alice, id, good(id, name)))).toBe('Conflict');
  });
});

it('every operation was called, and gave every answer that it is said to give', () => {
  const promised = operations.flatMap((operation) =>
    answersOf(operation).map((answer) => `${operation.operationId} ${answer}`),
  );
  expect(promised.filter((answer) => !seen.has(answer))).toEqual([]);
});
