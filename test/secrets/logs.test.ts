import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { namespaceOf } from '../../src/gateway/auth/subject.ts';
import { tokenFor } from '../api/api-server.ts';
import { type ScriptedServer, startScripted } from '../api-server/scripted.ts';
import { createDatabase, type TestDatabase } from '../contracts/postgres.ts';
import { configMapOf, consumerOf, triggerOf } from '../dispatcher/objects.ts';
import { cleanUp, command, newFolder, type Sless, startSless, uploadForm } from '../local/sless.ts';
import { type Broker, openBroker, withoutBroker } from '../rabbitmq/broker.ts';
import { endRoles, type Role, startRole } from '../roles/role.ts';
import { openSurroundings, type Surroundings } from '../roles/surroundings.ts';
import { leaks, signatureOf } from './forms.ts';

/** All that is used here is fresh, and has characters that each form writes otherwise. */
const fresh = (): string => `s/${randomBytes(12).toString('base64url')}+"é`;
const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 30_000, interval: 50 });

/** A login of the broker that is a test's own. */
async function newLogin(broker: Broker): Promise<{ user: string; password: string; login: string }> {
  const [user, password] = [`sless-${randomBytes(6).toString('hex')}`, fresh()];
  await broker.rabbitmqctl('add_user', user, password);
  await broker.rabbitmqctl('set_permissions', '-p', broker.vhost, user, '.*', '.*', '.*');
  return { user, password, login: `${user}:${encodeURIComponent(password)}` };
}

describe.skipIf(withoutBroker !== undefined)('local mode from a zip to a call, all of it logged', () => {
  let broker: Broker;
  let sless: Sless;
  let folder: string;
  let user: string;
  const secrets: Record<string, string> = {
    env: fresh(),
    secret: fresh(),
    caller: fresh(),
    cookie: fresh(),
    query: fresh(),
    body: fresh(),
    event: fresh(),
  };
  beforeAll(async () => {
    [broker, folder] = [await openBroker(), await newFolder()];
    const made = await newLogin(broker);
    user = made.user;
    secrets.broker = made.password;
    await broker.channel.assertQueue('orders', { durable: true });
    sless = await startSless(folder, {
      LOG_LEVEL: 'trace',
      RABBITMQ_URL: broker.url(undefined, made.login),
      EVENTS_QUEUE_TEMPLATE: '{queue}',
    });
    secrets.token = signatureOf(sless.token);
  });
  afterAll(async () => {
    await cleanUp();
    await broker.rabbitmqctl('delete_user', user);
    await broker.close();
  });

  test('holds none of the secrets that it was given, whether things go well or not', async () => {
    const base = `/v1/namespaces/${sless.namespace}`;
    const file = join(folder, 'secret.yaml');
    const kept = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'fn-mine' } };
    await writeFile(file, JSON.stringify({ ...kept, stringData: { KEPT: secrets.secret } }));
    expect((await command(folder, ['apply', '-f', file])).code).toBe(0);
    const spec = { name: 'f', runtime: 'nodejs20', env: { GIVEN: secrets.env }, secrets: ['fn-mine'] };
    expect((await sless.api('POST', `${base}/functions`, spec)).status).toBe(201);
    const code =
      'export const handle = (event, { path }) => { if (path === "/fails") throw new Error("no"); return 1; };';
    expect(
      (await sless.api('POST', `${base}/functions/f/upload`, uploadForm({ 'handler.mjs': code }))).status,
    ).toBe(200);
    for (const trigger of [
      { name: 'calls', type: 'http', function: 'f' },
      { name: 'orders', type: 'event', function: 'f', queue: 'orders' },
    ])
      expect((await sless.api('POST', `${base}/triggers`, trigger)).status).toBe(201);
    const job = { name: 'j', function: 'f', event_json: JSON.stringify(secrets.event), run_id: 1 };
    expect((await sless.api('POST', `${base}/jobs`, job)).status).toBe(201);
    const call = (path: string) =>
      fetch(
        `${sless.endpoint}/fn/${sless.namespace}/f${path}?key=${encodeURIComponent(secrets.query ?? '')}`,
        {
          method: 'POST',
          headers: {
            authorization: `Bearer ${Buffer.from(secrets.caller ?? '').toString('base64url')}`,
            cookie: `session=${encodeURIComponent(secrets.cookie ?? '')}`,
          },
          body: secrets.body ?? '',
        },
      );
    await until(async () => expect((await call('/')).status).toBe(200));
    expect((await call('/fails')).status).toBe(500);
    broker.channel.sendToQueue('orders', Buffer.from(JSON.stringify(secrets.event)));
    await until(async () => expect((await sless.api('GET', `${base}/jobs/j`)).json.phase).toBe('Succeeded'));
    for (const token of [`${sless.token}x`, 'a.b.c', secrets.caller ?? ''])
      await sless.api('GET', `${base}/functions`, undefined, encodeURIComponent(token));
    await sless.api('POST', `${base}/functions`, { name: 'g', runtime: secrets.body, env: secrets.env });
    await sless.api('PATCH', `${base}/functions/f`, { env: { 'not-a-name': secrets.env } });
    // The login is refused from now on.
    await broker.rabbitmqctl('change_password', user, fresh());
    await broker.rabbitmqctl('close_all_user_connections', user, 'a test');
    await until(() => expect(sless.output()).toMatch(/refus|broker/i));
    await sless.kill('SIGTERM');
    expect(sless.output().split('\n').length).toBeGreaterThan(20);
    expect(leaks(sless.output(), secrets)).toEqual([]);
  }, 90_000);
});

describe('the roles of a cluster, whose surroundings fail and repeat what they were told', () => {
  let around: Surroundings;
  let database: TestDatabase | undefined;
  beforeEach(async () => {
    [around, database] = [await openSurroundings(), await createDatabase()];
  });
  afterEach(async () => {
    await endRoles();
    await around.close();
    await database?.close();
  });

  const ready = (role: Role) =>
    until(async () => expect((await role.get('/readyz')).status, role.log().slice(-2000)).toBe(200));
  /** PostgreSQL on a test's machine believes anyone: the password matters to us alone. */
  const databaseUrl = (password: string, url = database?.url ?? 'postgres://postgres@127.0.0.1:1/absent') =>
    Object.assign(new URL(url), { password: encodeURIComponent(password) }).href;
  const scold = () =>
    startScripted(
      ({ headers, body }, response) =>
        void response
          .writeHead(500, { 'content-type': 'application/json' })
          .end(JSON.stringify({ headers, body })),
    );

  test('the api, with its store, its model and its database', async () => {
    const model: ScriptedServer = await scold();
    const [llm, key, store, login] = [fresh(), fresh().replace(/[^\w]/g, 'x'), fresh(), fresh()];
    const token = await tokenFor('alice');
    const [namespace, code] = [namespaceOf('alice'), fresh()];
    around.objects[namespace] = labelled(namespace);
    around.objects.hello = helloOf(namespace);
    const api = await startRole(['api'], {
      ...around.env,
      ...{ LOG_LEVEL: 'trace', AUTH_MODE: 'trusted-perimeter' },
      ...{ S3_ACCESS_KEY: key, S3_SECRET_KEY: store, DATABASE_URL: databaseUrl(login) },
      ...{
        LLM_ENABLED: 'true',
        LLM_ENDPOINT: model.origin,
        LLM_MODEL: 'm',
        LLM_API_KEY: llm.replace('é', 'e'),
      },
    });
    await ready(api);
    const ask = (method: string, path: string, body?: FormData) =>
      fetch(`http://127.0.0.1:${api.port}/v1/namespaces/${namespace}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}` },
        ...(body === undefined ? {} : { body }),
      }).then(async (answer) => ({ status: answer.status, text: await answer.text() }));
    const form = new FormData();
    const files = { 'handler.mjs': Buffer.from(`export const handle = () => ${JSON.stringify(code)};`) };
    form.set('code', new Blob([new Uint8Array(zipSync(files))]), 'code.zip');
    const told = [await ask('POST', '/functions/hello/upload', form)];
    expect(model.seen.length, told[0]?.text).toBe(1);
    expect(api.log()).toContain('CODE IS TAKEN UNREVIEWED');
    around.up.store = false;
    told.push(
      await ask('POST', '/functions/hello/upload', form),
      await ask('GET', '/functions/hello/source'),
    );
    around.up.cluster = false;
    told.push(await ask('GET', '/functions'), await ask('GET', '/invocations'));
    expect(told.map(({ status }) => status).filter((status) => status >= 500).length).toBeGreaterThan(1);
    const secrets = { llm: llm.replace('é', 'e'), key, store, login, code, token: signatureOf(token) };
    const cluster = 'a token of the cluster';
    expect(leaks(api.log() + JSON.stringify(told), { ...secrets, cluster })).toEqual([]);
  });

  test('the api and the proxy with a database that refuses them, and callers with secrets of their own', async () => {
    const [login, caller] = [fresh(), fresh()];
    const url = databaseUrl(login, 'postgres://nobody@127.0.0.1:5432/absent');
    const env = { ...around.env, LOG_LEVEL: 'trace', DATABASE_URL: url };
    const [api, proxy] = [await startRole(['api'], env), await startRole(['proxy'], env)];
    await Promise.all([ready(api), ready(proxy)]);
    for (const { port } of [api, proxy])
      for (const path of [
        '/fn/ns/f',
        '/v1/namespaces/ns/functions',
        `/fn/ns/f?k=${encodeURIComponent(caller)}`,
      ])
        await fetch(`http://127.0.0.1:${port}${path}`, {
          headers: { authorization: `Bearer ${Buffer.from(caller).toString('base64url')}` },
        });
    await until(() => expect(api.log()).toMatch(/invocation log|database/));
    expect(leaks(api.log() + proxy.log(), { login, caller })).toEqual([]);
  });

  test.skipIf(withoutBroker !== undefined)(
    'the dispatcher, with a consumer and the login of a broker',
    { timeout: 60_000 },
    async () => {
      const broker = await openBroker();
      try {
        const { user, password, login } = await newLogin(broker);
        const consumer = consumerOf();
        around.objects.namespaces = [labelled(consumer.namespace)];
        around.objects.configmaps = [configMapOf(consumer)];
        around.objects.triggers = [triggerOf(consumer)];
        const env = { KUBECONFIG: around.env.KUBECONFIG ?? '', LOG_LEVEL: 'trace' };
        for (const url of [broker.url(undefined, login), broker.url(undefined, `${login}x`)]) {
          const dispatcher = await startRole(['dispatcher'], { ...env, RABBITMQ_URL: url });
          await ready(dispatcher);
          await until(() => expect(dispatcher.log()).toMatch(/state of a consumer/));
          await broker.rabbitmqctl('close_all_user_connections', user, 'a test');
          expect(leaks(dispatcher.log(), { password, cluster: 'a token of the cluster' })).toEqual([]);
        }
        await broker.rabbitmqctl('delete_user', user);
      } finally {
        await broker.close();
      }
    },
  );
});

const labelled = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, uid: 'n', resourceVersion: '1', labels: { 'sless.dev/tenant': 'true' } },
});

const helloOf = (namespace: string) => ({
  apiVersion: 'sless.dev/v1alpha1',
  kind: 'Function',
  metadata: { name: 'hello', namespace, uid: 'f', resourceVersion: '1', generation: 1 },
  spec: { runtime: 'nodejs20' },
});
