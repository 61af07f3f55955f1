import { expect, test, vi } from 'vitest';
import { startCollection } from '../../../test/api-server/collection.ts';
import { later, QUICK, until, watch, watched, word } from '../../../test/api-server/watched.ts';
import { silentLogger } from '../../../test/contracts/silent-logger.ts';
import type { ClusterEvent } from '../../ports/cluster.ts';
import type { Logger } from '../../ports/logger.ts';
import { KINDS } from '../../resources/kube/kinds.ts';
import { createConnection } from './connection.ts';
import { startWatch } from './watch.ts';

test('first everything that is there, then each change in order', async () => {
  const [api, told] = await watched(['a', 'b']);
  api.put('c');
  api.put('a');
  api.remove('b');
  await until(() => expect(told.words()).toEqual(['synced a,b', 'applied c', 'applied a', 'deleted b']));
});

test('objects say what they are, in lists and in changes', async () => {
  const [api, told] = await watched(['a']);
  api.put('b');
  await until(() => expect(told.events).toHaveLength(2));
  const [synced, applied] = told.events;
  const what = { apiVersion: 'v1', kind: 'ConfigMap' };
  expect(synced).toMatchObject({ objects: [what] });
  expect(applied).toMatchObject({ object: what });
});

test('a change between the list and the watch is told', async () => {
  const api = await startCollection();
  api.behaviour.afterList = () => {
    api.behaviour.afterList = () => undefined;
    api.put('between');
  };
  const told = watch(api.server.origin);
  await until(() => expect(told.words()).toEqual(['synced', 'applied between']));
});

test('asks for bookmarks, for the labels of the query, and for an end within five to ten minutes', async () => {
  const api = await startCollection();
  const query = { kind: KINDS.Trigger, namespace: 'ns', labels: { b: '2', a: '1' } };
  watch(api.server.origin, {}, query);
  await until(() => expect(api.streams()).toBe(1));
  const [list] = api.lists();
  const [stream] = api.watches();
  expect(list?.path).toBe('/apis/sless.dev/v1alpha1/namespaces/ns/triggers');
  expect(list?.query.get('limit')).toBe('500');
  expect(stream?.query.get('labelSelector')).toBe('a=1,b=2');
  expect(stream?.query.get('allowWatchBookmarks')).toBe('true');
  expect(stream?.query.get('timeoutSeconds')).toBe('450');
});

test('a stream that the server ends is taken up where it was, without a word and without a list', async () => {
  const [api, told] = await watched(['a']);
  const version = api.put('b');
  await until(() => expect(told.events).toHaveLength(2));
  api.endStreams();
  await until(() => expect(api.watches()).toHaveLength(2));
  expect(api.watches()[1]?.query.get('resourceVersion')).toBe(String(version));
  api.put('c');
  await until(() => expect(told.words()).toEqual(['synced a', 'applied b', 'applied c']));
  expect(api.lists()).toHaveLength(1);
});

test('a bookmark moves the version that a stream is taken up from', async () => {
  const [api, told] = await watched([]);
  const version = api.bookmark();
  api.endStreams();
  await until(() => expect(api.watches()).toHaveLength(2));
  expect(api.watches()[1]?.query.get('resourceVersion')).toBe(String(version));
  expect(told.words()).toEqual(['synced']);
});

test('a long list comes in pages of one version', async () => {
  const [api, told] = await watched(['a', 'b', 'c', 'd', 'e'], { pageSize: 2 });
  expect(told.words()).toEqual(['synced a,b,c,d,e']);
  expect(api.lists().map(({ query }) => query.get('continue'))).toEqual([null, '105/2', '105/4']);
  expect(api.watches()[0]?.query.get('resourceVersion')).toBe('105');
});

test('a listener that throws is called again', async () => {
  const api = await startCollection();
  const connection = createConnection({
    access: async () => ({ server: api.server.origin, tls: {}, headers: {} }),
    clock: Date,
  });
  const logged = vi.fn();
  const logger: Logger = { ...silentLogger, error: logged, child: () => logger };
  const heard: string[] = [];
  const listener = (event: ClusterEvent): void => {
    heard.push(word(event));
    throw new Error('on purpose');
  };
  const query = { kind: KINDS.ConfigMap };
  const subscription = startWatch({ connection, logger, clock: Date, random: () => 0 }, QUICK, {
    query,
    listener,
  });
  later(
    () => subscription.close(),
    () => connection.close(),
  );
  await until(() => expect(api.streams()).toBe(1));
  api.put('a');
  await until(() => expect(heard).toEqual(['synced', 'applied a']));
  expect(logged).toHaveBeenCalledTimes(2);
});

test('closing stops at once: no further event of the same packet, and the server is rid of the stream', async () => {
  const [api, told] = await watched([]);
  const push = told.events.push.bind(told.events);
  told.events.push = (...events) => {
    told.subscription.close();
    return push(...events);
  };
  const event = (name: string) =>
    `${JSON.stringify({ type: 'ADDED', object: { metadata: { name, resourceVersion: '900' } } })}\n`;
  api.raw(event('a') + event('b') + event('c'));
  await until(() => expect(api.streams()).toBe(0));
  expect(told.words()).toEqual(['synced', 'applied a']);
  told.subscription.close();
});

test('closing ends a list that hangs', async () => {
  const api = await startCollection();
  api.behaviour.intercept = () => true;
  const hanging = watch(api.server.origin);
  await until(() => expect(api.server.seen).toHaveLength(1));
  hanging.subscription.close();
  await until(async () => expect(await api.server.connections()).toBe(0));
  expect(hanging.events).toEqual([]);
});
