import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KINDS } from '../../src/resources/kube/kinds.ts';
import { type ApiServer, startApi, tenantOf } from './api-server.ts';

let api: ApiServer;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

describe('ensure', () => {
  it('makes the namespace once, however many ask at once, and says who made it', async () => {
    const bob = await tenantOf(api, 'bob', { fresh: true });
    const answers = await Promise.all(Array.from({ length: 8 }, () => bob.ask('POST', '/ensure')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
    expect(answers.find(({ status }) => status === 201)?.body).toEqual({
      namespace: bob.namespace,
      status: 'created',
    });
    expect(answers.find(({ status }) => status === 200)?.body).toEqual({
      namespace: bob.namespace,
      status: 'exists',
    });
    const namespace = await api.cluster.get({ kind: KINDS.Namespace, name: bob.namespace });
    expect(namespace?.metadata.labels).toMatchObject({
      'sless.dev/tenant': 'true',
      'pod-security.kubernetes.io/enforce': 'baseline',
    });
  });

  it('comes first: everything else is NamespaceNotFound until then', async () => {
    const carol = await tenantOf(api, 'carol', { fresh: true });
    for (const [method, path] of [
      ['GET', '/functions'],
      ['GET', '/functions/f'],
      ['POST', '/functions'],
      ['GET', '/triggers'],
    ] as const) {
      const answer = await carol.ask(method, path, method === 'POST' ? {} : undefined);
      expect(answer).toMatchObject({ status: 404, body: { code: 'NamespaceNotFound' } });
      expect(answer.body.error).toContain(`/v1/namespaces/${carol.namespace}/ensure`);
    }
  });

  it('does not put back a label that an administrator took away', async () => {
    const dave = await tenantOf(api, 'dave');
    await api.cluster.patch(
      { kind: KINDS.Namespace, name: dave.namespace },
      { metadata: { labels: { 'sless.dev/tenant': 'false' } } },
    );
    expect(await dave.ask('POST', '/ensure')).toMatchObject({
      status: 409,
      body: { code: 'NamespaceNotEnabled' },
    });
    expect(await dave.ask('GET', '/functions')).toMatchObject({
      status: 409,
      body: { code: 'NamespaceNotEnabled' },
    });
  });
});
