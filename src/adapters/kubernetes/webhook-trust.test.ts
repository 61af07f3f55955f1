import { expect, test } from 'vitest';
import { SlessError } from '../../errors.ts';
import { createKubernetesWebhookTrust } from './webhook-trust.ts';

const secret = (ownerReferences: readonly object[]) => ({ metadata: { ownerReferences }, data: {} });
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
  expect(await trustIn(objects).secret()).toEqual({ owner });
});

test('no Secret is none at all', async () => {
  expect(await trustIn({}).secret()).toBeUndefined();
});
