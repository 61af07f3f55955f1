import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLogger } from '../../test/contracts/silent-logger.ts';
import { createEmbeddedCluster, type EmbeddedCluster } from '../adapters/embedded-cluster/cluster.ts';
import { createMemoryStore } from '../adapters/embedded-cluster/state-store.ts';
import { SlessError } from '../errors.ts';
import { KINDS } from '../resources/kube/kinds.ts';
import type { KubeObject } from '../resources/kube/object.ts';
import { type SecretCopies, startSecretCopies } from './secret-copies.ts';

const TYPE = 'kubernetes.io/dockerconfigjson';
const login = (word: string) => ({
  '.dockerconfigjson': Buffer.from(`{"auths":{"${word}":{}}}`).toString('base64'),
});

let cluster: EmbeddedCluster;
let copies: SecretCopies | undefined;
beforeEach(async () => {
  cluster = createEmbeddedCluster({ store: createMemoryStore(), clock: Date, logger: silentLogger });
  await namespace('sless-system', {});
});
afterEach(() => {
  copies?.close();
  cluster.close();
});

const namespace = (name: string, labels: Record<string, string> = { 'sless.dev/tenant': 'true' }) =>
  cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
const secret = (where: string, name: string, rest: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: where, annotations: { note: 'of the source' } },
  type: TYPE,
  ...rest,
});
const start = (over: Partial<EmbeddedCluster> = {}) => {
  copies = startSecretCopies(
    { cluster: { ...cluster, ...over }, logger: silentLogger },
    { systemNamespace: 'sless-system', secrets: [{ name: 'push' }, { name: 'pull', type: TYPE }] },
  );
};
const copyIn = (where: string, name = 'push') => cluster.get({ kind: KINDS.Secret, namespace: where, name });
const has = (where: string, word: string, name = 'push') =>
  vi.waitFor(async () => expect((await copyIn(where, name))?.data).toEqual(login(word)));

test('namespaces that are labelled get each Secret, and no others do', async () => {
  await cluster.create(secret('sless-system', 'push', { data: login('a') }));
  await cluster.create(secret('sless-system', 'other', { data: login('x') }));
  await namespace('one');
  await namespace('plain', {});
  start();
  await has('one', 'a');
  await namespace('two');
  await has('two', 'a');
  expect(await copyIn('plain')).toBeUndefined();
  expect(await copyIn('one', 'other')).toBeUndefined();
  const { metadata, type } = (await copyIn('two')) ?? secret('', '', {});
  expect({ type, labels: metadata?.labels, annotations: metadata?.annotations }).toEqual({
    type: TYPE,
    labels: { 'app.kubernetes.io/managed-by': 'sless' },
    annotations: undefined,
  });
});

test('one that is labelled later, and a source that comes later, are served then', async () => {
  await namespace('late', {});
  start();
  const ref = { kind: KINDS.Namespace, name: 'late' };
  await cluster.patch(ref, { metadata: { labels: { 'sless.dev/tenant': 'true' } } });
  await cluster.create(secret('sless-system', 'pull', { data: login('b') }));
  await has('late', 'b', 'pull');
});

test('a source that changes is copied again, whole; one that goes leaves its copies', async () => {
  const ref = { kind: KINDS.Secret, namespace: 'sless-system', name: 'push' };
  await cluster.create(secret('sless-system', 'push', { type: 'Opaque', data: { a: 'MQ==', b: 'Mg==' } }));
  await namespace('one');
  start();
  await vi.waitFor(async () => expect((await copyIn('one'))?.data).toEqual({ a: 'MQ==', b: 'Mg==' }));
  await cluster.patch(ref, { data: { a: 'Mw==', b: null } });
  await vi.waitFor(async () => expect((await copyIn('one'))?.data).toEqual({ a: 'Mw==' }));
  await cluster.delete(ref);
  await namespace('two');
  await cluster.create(secret('sless-system', 'pull', { data: login('p') }));
  await has('two', 'p', 'pull');
  expect((await copyIn('one'))?.data).toEqual({ a: 'Mw==' });
  expect(await copyIn('two')).toBeUndefined();
});

test('what is no login of a registry is not copied under the name of one, until one takes its place', async () => {
  await namespace('one');
  await cluster.create(secret('sless-system', 'pull', { type: 'Opaque', data: { secretKey: 'a2V5' } }));
  await cluster.create(secret('sless-system', 'push', { data: login('a') }));
  start();
  await has('one', 'a');
  expect(await copyIn('one', 'pull')).toBeUndefined();
  const ref = { kind: KINDS.Secret, namespace: 'sless-system', name: 'pull' };
  await cluster.delete(ref);
  await cluster.create(secret('sless-system', 'pull', { data: login('b') }));
  await has('one', 'b', 'pull');
});

test("a team's own Secret of that name stays as it is", async () => {
  await namespace('team');
  await cluster.create(secret('team', 'push', { data: login('ours') }));
  await cluster.create(secret('sless-system', 'push', { data: login('a') }));
  await cluster.create(secret('sless-system', 'pull', { data: login('a') }));
  start();
  await has('team', 'a', 'pull');
  expect((await copyIn('team'))?.data).toEqual(login('ours'));
});

test('a namespace that has not received the right yet is tried again', async () => {
  let refusals = 2;
  await cluster.create(secret('sless-system', 'push', { data: login('a') }));
  await namespace('one');
  start({
    get: (ref) => {
      if (ref.namespace === 'one' && refusals-- > 0) throw new SlessError('Forbidden', 'not yet');
      return cluster.get(ref);
    },
  });
  await vi.waitFor(async () => expect((await copyIn('one'))?.data).toEqual(login('a')), { timeout: 5_000 });
  expect(refusals).toBeLessThan(0);
});

test('once all is copied, nothing is written', async () => {
  await cluster.create(secret('sless-system', 'push', { data: login('a') }));
  await namespace('one');
  start();
  await has('one', 'a');
  const before = (await copyIn('one'))?.metadata.resourceVersion;
  const ref = { kind: KINDS.Namespace, name: 'one' };
  await cluster.patch(ref, { metadata: { annotations: { touched: 'yes' } } });
  await cluster.patch(
    { kind: KINDS.Secret, namespace: 'sless-system', name: 'push' },
    { metadata: { labels: { touched: 'yes' } } },
  );
  await namespace('two');
  await has('two', 'a');
  expect((await copyIn('one'))?.metadata.resourceVersion).toBe(before);
});
