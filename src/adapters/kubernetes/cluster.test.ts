import { afterEach, expect, test } from 'vitest';
import {
  answer,
  type Handler,
  type ScriptedServer,
  startScripted,
  statusOf,
} from '../../../test/api-server/scripted.ts';
import type { ControllerCluster } from '../../ports/cluster.ts';
import { KINDS } from '../../resources/kube/kinds.ts';
import { createKubernetesCluster } from './cluster.ts';
import { createConnection } from './connection.ts';

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'ns' } };
const ref = { kind: KINDS.ConfigMap, namespace: 'ns', name: 'c' };
const echo: Handler = (_seen, response) => answer(response, { metadata: config.metadata });

async function serve(handler: Handler = echo): Promise<[ControllerCluster, ScriptedServer]> {
  const api = await startScripted(handler);
  const access = async () => ({ server: api.origin, tls: {}, headers: {} });
  const connection = createConnection({ access, clock: Date });
  opened.push(() => connection.close());
  const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => logger };
  return [createKubernetesCluster({ connection, logger, clock: Date, random: Math.random }), api];
}

const only = ({ seen }: ScriptedServer) => {
  expect(seen).toHaveLength(1);
  const { method, path, query, headers, body } = seen[0]!;
  const sent = body === '' ? undefined : JSON.parse(body);
  return { method, path, query: Object.fromEntries(query), type: headers['content-type'], sent };
};

test('an answer says what it is', async () => {
  const [cluster] = await serve();
  expect(await cluster.get(ref)).toEqual(config);
});

test('what is not there is undefined to get, and an error to all else', async () => {
  const [cluster] = await serve((_seen, response) => answer(response, statusOf(404, 'NotFound'), 404));
  expect(await cluster.get(ref)).toBeUndefined();
  await expect(cluster.delete(ref)).rejects.toMatchObject({ code: 'NotFound' });
  await expect(cluster.patch(ref, {})).rejects.toMatchObject({ code: 'NotFound' });
});

test('a kind that the server does not know is not taken for an absent object', async () => {
  const [cluster] = await serve(
    (_seen, response) => void response.writeHead(404).end('404 page not found\n'),
  );
  await expect(cluster.get(ref)).rejects.toMatchObject({ code: 'Unavailable' });
});

test('a patch is a merge patch; of the status it goes to the subresource', async () => {
  const [cluster, api] = await serve();
  await cluster.patch({ ...ref, kind: KINDS.Function }, { status: { a: null } }, { subresource: 'status' });
  expect(only(api)).toEqual({
    method: 'PATCH',
    path: '/apis/sless.dev/v1alpha1/namespaces/ns/functions/c/status',
    query: { fieldManager: 'sless' },
    type: 'application/merge-patch+json',
    sent: { status: { a: null } },
  });
});

test('a deletion is done in the background, of that uid alone when one is given', async () => {
  const [cluster, api] = await serve();
  await cluster.delete(ref, { uid: 'u' });
  expect(only(api)).toMatchObject({
    method: 'DELETE',
    path: '/api/v1/namespaces/ns/configmaps/c',
    sent: { propagationPolicy: 'Background', preconditions: { uid: 'u' } },
  });
});

test('a deletion of what was read alone says which version that was', async () => {
  const [cluster, api] = await serve();
  await cluster.delete(ref, { uid: 'u', resourceVersion: '7' });
  expect(only(api)).toMatchObject({ sent: { preconditions: { uid: 'u', resourceVersion: '7' } } });
});

test('apply is forced and names its manager', async () => {
  const [cluster, api] = await serve();
  await cluster.apply(config, 'loop');
  expect(only(api)).toMatchObject({
    method: 'PATCH',
    query: { fieldManager: 'loop', force: 'true' },
    type: 'application/apply-patch+yaml',
    sent: config,
  });
});

test('a status is replaced by a PUT of its subresource', async () => {
  const [cluster, api] = await serve();
  await cluster.replaceStatus({ ...config, kind: 'Pod', status: { phase: 'Running' } });
  expect(only(api)).toMatchObject({ method: 'PUT', path: '/api/v1/namespaces/ns/pods/c/status' });
});

test('kinds without a namespace have none in their path', async () => {
  const [cluster, api] = await serve();
  await cluster.get({ kind: KINDS.Namespace, namespace: 'ns', name: 'n' });
  expect(only(api).path).toBe('/api/v1/namespaces/n');
});

test('a name cannot leave its place in the path', async () => {
  const [cluster, api] = await serve();
  await cluster.get({ ...ref, name: '../../secrets/s?x=1' });
  expect(only(api).path).toBe('/api/v1/namespaces/ns/configmaps/..%2F..%2Fsecrets%2Fs%3Fx%3D1');
});

test.each(['', '.', '..'])('"%s" is no name', async (name) => {
  const [cluster, api] = await serve();
  await expect(cluster.get({ ...ref, name })).rejects.toMatchObject({ code: 'Invalid' });
  await expect(cluster.get({ ...ref, namespace: name })).rejects.toMatchObject({ code: 'Invalid' });
  expect(api.seen).toEqual([]);
});

test.each(['get', 'delete'] as const)(
  '%s of a namespaced kind without a namespace is refused',
  async (method) => {
    const [cluster, api] = await serve();
    await expect(cluster[method]({ kind: KINDS.ConfigMap, name: 'c' })).rejects.toMatchObject({
      code: 'Invalid',
    });
    expect(api.seen).toEqual([]);
  },
);

test('an object of an unknown kind is refused by name', async () => {
  const [cluster] = await serve();
  await expect(cluster.create({ ...config, kind: 'Widget' })).rejects.toMatchObject({
    code: 'Invalid',
    message: 'sless knows no kind "Widget" of "v1"',
  });
});

test('a list is bounded by the server, with a cursor to what follows', async () => {
  const [cluster, api] = await serve((_seen, response) =>
    answer(response, {
      metadata: { resourceVersion: '1', continue: 'more' },
      items: [{ metadata: { name: 'c' } }],
    }),
  );
  const page = await cluster.list(
    { kind: KINDS.ConfigMap, labels: { a: 'b' } },
    { limit: 1, cursor: 'here' },
  );
  expect(page).toEqual({
    items: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } }],
    next: 'more',
  });
  expect(only(api).query).toEqual({ limit: '1', continue: 'here', labelSelector: 'a=b' });
});

test('a list without a limit has the usual one', async () => {
  const [cluster, api] = await serve((_seen, response) =>
    answer(response, { metadata: { resourceVersion: '1' }, items: null }),
  );
  expect(await cluster.list({ kind: KINDS.ConfigMap })).toEqual({ items: [] });
  expect(only(api).query).toEqual({ limit: '500' });
});
