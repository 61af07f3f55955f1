import { expect, test } from 'vitest';
import { type ErrorCode, SlessError } from '../../errors.ts';
import { createKubernetesWebhookTrust } from './webhook-trust.ts';

const secret = (ownerReferences: readonly object[]) => ({
  metadata: { ownerReferences, resourceVersion: '7' },
  data: {},
});
const account = (uid: string) => ({ apiVersion: 'v1', kind: 'ServiceAccount', name: 'keeper', uid });

/** An API server that has these objects of the namespace, by the ends of their paths. */
const trustIn = (objects: Readonly<Record<string, object>>) =>
  createKubernetesWebhookTrust({
    connection: {
      request: async ({ path }) => {
        const found = objects[path.replace('/api/v1/namespaces/ns/', '')];
        if (found === undefined) throw new SlessError('NotFound', path);
        return found;
      },
    },
    namespace: 'ns',
    secret: 'tls',
    service: 'operator',
    owner: 'keeper',
  });

const LIVE = { metadata: { name: 'keeper', uid: 'new' } };
const OTHER = { apiVersion: 'v1', kind: 'ConfigMap', name: 'keeper', uid: 'u' };

test.each<[string, string, Readonly<Record<string, object>>]>([
  ['none', 'without an owner', { 'secrets/tls': secret([]), 'serviceaccounts/keeper': LIVE }],
  ['ours', 'of this account', { 'secrets/tls': secret([account('new')]), 'serviceaccounts/keeper': LIVE }],
  [
    'gone',
    'of one that had its name',
    { 'secrets/tls': secret([account('old')]), 'serviceaccounts/keeper': LIVE },
  ],
  ['gone', 'of an account that is not there', { 'secrets/tls': secret([account('new')]) }],
  ['ours', 'of somebody else, who sees to it', { 'secrets/tls': secret([OTHER]) }],
])('the Secret is %s: %s', async (owner, _, objects) => {
  expect(await trustIn(objects).secret()).toEqual({ owner, version: '7' });
});

test('no Secret is none at all', async () => {
  expect(await trustIn({}).secret()).toBeUndefined();
});

const TEXTS = { certificate: 'c', key: 'k', authorities: 'a' };
const DATA = { 'tls.crt': 'Yw==', 'tls.key': 'aw==', 'ca.crt': 'YQ==' };

/** An API server that answers everything so, and what it was asked. */
const answering = (code?: ErrorCode) => {
  const asked: object[] = [];
  const trust = createKubernetesWebhookTrust({
    connection: {
      request: async ({ method, path, body }) => {
        asked.push({ method, path, body });
        if (code !== undefined) throw new SlessError(code, 'refused');
        return {};
      },
    },
    ...{ namespace: 'ns', secret: 'tls', service: 'operator', owner: 'keeper' },
  });
  return { trust, asked };
};

test('a Secret is created only where there is none, and replaced only as it was read', async () => {
  const { trust, asked } = answering();
  expect([await trust.createSecret(TEXTS), await trust.replaceSecret('7', TEXTS)]).toEqual([true, true]);
  expect(asked).toMatchObject([
    {
      method: 'POST',
      path: '/api/v1/namespaces/ns/secrets',
      body: { type: 'kubernetes.io/tls', data: DATA },
    },
    {
      method: 'PATCH',
      path: '/api/v1/namespaces/ns/secrets/tls',
      body: { metadata: { resourceVersion: '7' }, data: DATA },
    },
  ]);
  expect(await answering('AlreadyExists').trust.createSecret(TEXTS)).toBe(false);
  for (const code of ['Conflict', 'NotFound'] as const)
    expect(await answering(code).trust.replaceSecret('7', TEXTS)).toBe(false);
});

test('every other refusal of a write is an error', async () => {
  const { trust } = answering('Forbidden');
  await expect(trust.createSecret(TEXTS)).rejects.toThrow('refused');
  await expect(trust.replaceSecret('7', TEXTS)).rejects.toThrow('refused');
});
