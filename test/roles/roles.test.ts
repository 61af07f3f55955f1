import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { tokenFor } from '../api/api-server.ts';
import { startScripted } from '../api-server/scripted.ts';
import { endRoles, type Role, startRole } from './role.ts';
import { openSurroundings, type Surroundings } from './surroundings.ts';

let around: Surroundings;
beforeEach(async () => {
  around = await openSurroundings();
});
afterEach(async () => {
  await endRoles();
  await around.close();
});

const ready = (role: Role, status = 200) =>
  vi.waitFor(async () => expect((await role.get('/readyz')).status, role.log().slice(-2000)).toBe(status), {
    timeout: 15_000,
  });
const error = (code: string) => expect.stringContaining(`"code":"${code}"`);

describe('sless proxy', () => {
  test('is ready when it knows the routes, and stays so while the cluster is away', async () => {
    around.up.cluster = false;
    const proxy = await startRole(['proxy'], around.env);
    expect(await proxy.get('/healthz')).toEqual({ status: 200, text: 'ok' });
    expect((await proxy.get('/readyz')).status).toBe(503);
    around.up.cluster = true;
    await ready(proxy);
    around.up.cluster = false;
    around.cluster.drop();
    await vi.waitFor(() => expect(proxy.log()).toContain('the last known'), { timeout: 15_000 });
    await ready(proxy);
  });

  test('answers for functions and for nothing else, and ends in order', async () => {
    const proxy = await startRole(['proxy'], around.env);
    await ready(proxy);
    expect(await proxy.get('/fn/ns/absent')).toEqual({ status: 404, text: error('NotFound') });
    expect(await proxy.get('/v1/namespaces/ns/functions')).toEqual({ status: 404, text: error('NotFound') });
    expect((await proxy.get('/metrics')).status).toBe(404);
    expect((await proxy.get('/metrics', proxy.metricsPort)).text).toContain('sless_fn_requests_total');
    proxy.kill('SIGTERM');
    expect(await proxy.ended).toBe(0);
    expect(proxy.log()).toContain('proxy ended');
  });
});

describe('sless api', () => {
  test('is ready when it knows the pods and the store has answered once', async () => {
    around.up.store = false;
    const api = await startRole(['api'], around.env);
    await vi.waitFor(() => expect(api.log()).toContain('the object store cannot be used yet'), 15_000);
    expect((await api.get('/readyz')).status).toBe(503);
    around.up.store = true;
    await ready(api);
    around.up.store = false;
    await ready(api);
  });

  test('serves each audience on its own port, and the metrics on another', async () => {
    const api = await startRole(['api'], around.env);
    await ready(api);
    expect(await api.get('/v1/namespaces/ns/functions')).toEqual({
      status: 401,
      text: error('Unauthenticated'),
    });
    expect((await api.get('/internal/contexts/ns/f?key=k')).status).toBe(404);
    const internal = await api.get('/internal/contexts/ns/f?key=k', api.internalPort);
    expect(internal).toEqual({ status: 401, text: error('Unauthenticated') });
    expect((await api.get('/v1/namespaces/ns/functions', api.internalPort)).status).toBe(404);
    expect((await api.get('/healthz', api.internalPort)).text).toBe('ok');
    expect((await api.get('/fn/ns/f')).status).toBe(404);
    expect((await api.get('/metrics', api.metricsPort)).text).toContain('sless_api_requests_total');
  });

  test('says that it could not ask the registry whether anybody may push', async () => {
    const api = await startRole(['api'], { ...around.env, REGISTRY_HOST: '127.0.0.1:1' });
    await vi.waitFor(() => expect(api.log()).toContain('without a login could not be found out'), 15_000);
  });

  test('empties the folder of uploads, and what it says holds no secret', async () => {
    await mkdir(join(around.folder, 'uploads', 'left'), { recursive: true });
    await writeFile(join(around.folder, 'uploads', 'left', 'code.zip'), 'half a zip');
    const api = await startRole(['api'], { ...around.env, LOG_LEVEL: 'trace' });
    await ready(api);
    expect(await readdir(join(around.folder, 'uploads'))).toEqual([]);
    expect(api.log()).not.toMatch(/a secret of the store|a token of the cluster/);
    api.kill('SIGTERM');
    expect(await api.ended).toBe(0);
  });

  test('behind a trusted perimeter it says aloud what that means', async () => {
    const api = await startRole(['api'], { ...around.env, AUTH_MODE: 'trusted-perimeter' });
    expect(api.log()).toMatch(/"level":"warn".*NO SIGNATURE IS CHECKED/);
    await ready(api);
    const answered = await fetch(`http://127.0.0.1:${api.port}/v1/namespaces/sless-2bd806c97f0e00af/ensure`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await tokenFor('alice')}` },
    });
    expect(answered.status).not.toBe(401);
  });

  test('a registry that anyone may push to is warned of', async () => {
    const registry = await startScripted((_seen, response) => void response.writeHead(202).end());
    const env = { REGISTRY_HOST: new URL(registry.origin).host, REGISTRY_INSECURE: 'true' };
    const api = await startRole(['api'], { ...around.env, ...env });
    await vi.waitFor(() => expect(api.log()).toContain('TAKES PUSHES WITHOUT A LOGIN'), 15_000);
  });

  test('in a small installation it serves the functions too', async () => {
    const both = await startRole(['api', '--with-proxy'], around.env);
    await ready(both);
    expect(await both.get('/fn/ns/absent')).toEqual({ status: 404, text: error('NotFound') });
    expect((await both.get('/v1/namespaces/ns/functions')).status).toBe(401);
    expect((await both.get('/metrics', both.metricsPort)).text).toMatch(
      /sless_api_requests_total[\s\S]*sless_fn_requests_total/,
    );
    both.kill('SIGTERM');
    expect(await both.ended).toBe(0);
  });

  test('a setting that is missing or wrong is named, and nothing is started', async () => {
    const { S3_BUCKET: _, JWKS_URL: __, ...env } = around.env;
    await expect(startRole(['api'], { ...env, AUTH_RBAC: 'perhaps' })).rejects.toThrow(
      /ended with 78[\s\S]*AUTH_RBAC must be true or false[\s\S]*S3_BUCKET is missing[\s\S]*JWKS_URL is missing/,
    );
  });
});

describe('sless dispatcher', () => {
  const broker = 'amqp://user:a-secret-of-the-broker@127.0.0.1:1/v';

  test('is ready when it knows its consumers, whether or not there is a broker, and ends in order', async () => {
    around.up.cluster = false;
    const { KUBECONFIG = '' } = around.env;
    const dispatcher = await startRole(['dispatcher'], {
      KUBECONFIG,
      RABBITMQ_URL: broker,
      LOG_LEVEL: 'trace',
    });
    expect(await dispatcher.get('/healthz')).toEqual({ status: 200, text: 'ok' });
    expect((await dispatcher.get('/readyz')).status).toBe(503);
    around.up.cluster = true;
    await ready(dispatcher);
    expect(await dispatcher.get('/anything')).toEqual({ status: 404, text: error('NotFound') });
    expect((await dispatcher.get('/metrics', dispatcher.metricsPort)).text).toContain(
      'sless_events_done_total',
    );
    dispatcher.kill('SIGTERM');
    expect(await dispatcher.ended).toBe(0);
    expect(dispatcher.log()).toContain('dispatcher ended');
    expect(dispatcher.log()).not.toContain('a-secret-of-the-broker');
  });

  test('a setting that is missing or wrong is named', async () => {
    const { KUBECONFIG = '' } = around.env;
    await expect(startRole(['dispatcher'], { KUBECONFIG })).rejects.toThrow(/RABBITMQ_URL is missing/);
    const wrong = { RABBITMQ_URL: 'http://a-secret', EVENTS_QUEUE_TEMPLATE: '{name}', BROKER_HOSTS: 'a b' };
    const failure = await startRole(['dispatcher'], { KUBECONFIG, ...wrong }).catch(
      (thrown: Error) => thrown.message,
    );
    expect(failure).toMatch(
      /RABBITMQ_URL must be a URL such as amqp[\s\S]*EVENTS_QUEUE_TEMPLATE must hold \{queue\} once[\s\S]*BROKER_HOSTS must be host names/,
    );
    expect(failure).not.toContain('a-secret');
  });
});
