import { afterEach, expect, test, vi } from 'vitest';
import { type Collection, startCollection } from '../../../test/api-server/collection.ts';
import { answer, statusOf } from '../../../test/api-server/scripted.ts';
import { startRelay } from '../../../test/network/relay.ts';
import type { ClusterEvent, Query, Subscription } from '../../ports/cluster.ts';
import type { Logger } from '../../ports/logger.ts';
import { KINDS } from '../../resources/kube/kinds.ts';
import { createConnection } from './connection.ts';
import { startWatch, WATCH_DEFAULTS, type WatchOptions } from './watch.ts';

const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silent,
};

const QUICK: WatchOptions = { ...WATCH_DEFAULTS, minBackoffMs: 20, maxBackoffMs: 100, shortestStreamMs: 0 };

const opened: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

interface Told {
  readonly events: ClusterEvent[];
  /** `synced a,b`, `applied c`, `deleted c`, `lost`. */
  readonly words: () => string[];
  readonly subscription: Subscription;
}

function watch(
  origin: string,
  options: Partial<WatchOptions> = {},
  query: Query = { kind: KINDS.ConfigMap },
): Told {
  const access = async () => ({ server: origin, tls: {}, headers: {} });
  const connection = createConnection({ access, clock: Date });
  const deps = { connection, logger: silent, clock: Date, random: () => 0.5 };
  const events: ClusterEvent[] = [];
  const subscription = startWatch(
    deps,
    { ...QUICK, ...options },
    { query, listener: (event) => events.push(event) },
  );
  opened.push(
    () => subscription.close(),
    () => connection.close(),
  );
  return { events, words: () => events.map(word), subscription };
}

function word(event: ClusterEvent): string {
  if (event.type === 'lost') return 'lost';
  if (event.type === 'synced')
    return `synced ${event.objects.map(({ metadata }) => metadata.name).join(',')}`.trim();
  return `${event.type} ${event.object.metadata.name}`;
}

const until = (check: () => void) => vi.waitFor(check, { timeout: 10_000, interval: 5 });

async function watched(
  names: readonly string[],
  options?: Partial<WatchOptions>,
): Promise<[Collection, Told]> {
  const api = await startCollection();
  for (const name of names) api.put(name);
  const told = watch(api.server.origin, options);
  await until(() => expect(api.streams()).toBe(1));
  return [api, told];
}

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

test('a connection that breaks is taken up at once; half an event is told once, whole', async () => {
  const [api, told] = await watched([]);
  api.raw('{"type":"ADDED","object":{"metadata":{"na');
  api.server.drop();
  await until(() => expect(api.watches()).toHaveLength(2));
  api.put('a');
  await until(() => expect(told.words()).toEqual(['synced', 'applied a']));
});

test.each(['as an answer', 'as an event'])('410 %s: everything is listed again', async (how) => {
  const [api, told] = await watched(['a']);
  if (how === 'as an event') api.fail(statusOf(410, 'Expired'));
  api.compact();
  api.remove('a');
  api.put('b');
  api.compact();
  api.endStreams();
  await until(() => expect(told.words().at(-1)).toBe('synced b'));
  expect(told.words()).not.toContain('lost');
});

test('an outage is told once, and its end with everything that is there', async () => {
  const [api, told] = await watched(['a']);
  api.behaviour.intercept = (_seen, response) => {
    response.writeHead(503).end();
    return true;
  };
  api.server.drop();
  await until(() => expect(api.server.seen.length).toBeGreaterThan(6));
  expect(told.words()).toEqual(['synced a', 'lost']);
  api.remove('a');
  api.put('b');
  api.behaviour.intercept = () => false;
  await until(() => expect(told.words()).toEqual(['synced a', 'lost', 'synced b']));
  api.put('c');
  await until(() => expect(told.words().at(-1)).toBe('applied c'));
});

test('a server that cannot be reached from the start is told once, and so are two outages', async () => {
  const api = await startCollection();
  const relay = await startRelay({ host: '127.0.0.1', port: api.server.port });
  opened.push(() => relay.close());
  await relay.down();
  const told = watch(`http://127.0.0.1:${relay.port}`);
  await until(() => expect(told.words()).toEqual(['lost']));
  await relay.restore();
  await until(() => expect(told.words()).toEqual(['lost', 'synced']));
  await until(() => expect(api.streams()).toBe(1));
  await relay.down();
  await until(() => expect(told.words()).toEqual(['lost', 'synced', 'lost']));
  await relay.restore();
  await until(() => expect(told.words()).toEqual(['lost', 'synced', 'lost', 'synced']));
});

test('what may not be watched is told with the reason, and taken up once it may', async () => {
  const api = await startCollection();
  api.behaviour.intercept = (_seen, response) => {
    answer(response, statusOf(403, 'Forbidden'), 403);
    return true;
  };
  const told = watch(api.server.origin);
  await until(() => expect(told.events).toHaveLength(1));
  expect(told.events[0]).toMatchObject({ type: 'lost', error: { code: 'Forbidden' } });
  api.behaviour.intercept = () => false;
  await until(() => expect(told.words()).toEqual(['lost', 'synced']));
});

test('a half-open connection is found by its silence; nothing is missed', async () => {
  const api = await startCollection();
  const relay = await startRelay({ host: '127.0.0.1', port: api.server.port });
  opened.push(() => relay.close());
  const told = watch(`http://127.0.0.1:${relay.port}`, { silenceMs: 300 });
  await until(() => expect(api.streams()).toBe(1));
  api.put('heard');
  await until(() => expect(told.words()).toEqual(['synced', 'applied heard']));
  relay.mute();
  api.put('unheard');
  await until(() => expect(told.words()).toEqual(['synced', 'applied heard', 'applied unheard']));
});

test('bookmarks keep a quiet stream alive', async () => {
  // Time is what is tested here: twice the silence that a stream may keep.
  const [api] = await watched([], { silenceMs: 1_000 });
  for (let beat = 0; beat < 8; beat++) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    api.bookmark();
  }
  expect(api.watches()).toHaveLength(1);
});

test('a long list comes in pages of one version', async () => {
  const [api, told] = await watched(['a', 'b', 'c', 'd', 'e'], { pageSize: 2 });
  expect(told.words()).toEqual(['synced a,b,c,d,e']);
  expect(api.lists().map(({ query }) => query.get('continue'))).toEqual([null, '105/2', '105/4']);
  expect(api.watches()[0]?.query.get('resourceVersion')).toBe('105');
});

test('pages that grow too old on the way are asked for as one', async () => {
  const api = await startCollection();
  for (const name of ['a', 'b', 'c']) api.put(name);
  api.behaviour.afterList = () => {
    api.behaviour.afterList = () => undefined;
    api.compact();
  };
  const told = watch(api.server.origin, { pageSize: 2 });
  await until(() => expect(told.words()).toEqual(['synced a,b,c']));
  expect(api.lists().at(-1)?.query.get('limit')).toBeNull();
});

test('a stream of rubbish is an outage, not the end', async () => {
  const [api, told] = await watched(['a']);
  api.raw('<html>\n');
  await until(() => expect(api.watches()).toHaveLength(2));
  api.put('b');
  await until(() => expect(told.words()).toEqual(['synced a', 'applied b']));
});

test('a listener that throws is called again', async () => {
  const api = await startCollection();
  const connection = createConnection({
    access: async () => ({ server: api.server.origin, tls: {}, headers: {} }),
    clock: Date,
  });
  const logged = vi.fn();
  const logger: Logger = { ...silent, error: logged, child: () => logger };
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
  opened.push(
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

test('a server that ends every stream as it begins is asked less and less often', async () => {
  const api = await startCollection();
  api.behaviour.intercept = ({ query }, response) => {
    if (query.get('watch') !== 'true') return false;
    response.writeHead(200).end();
    return true;
  };
  const told = watch(api.server.origin, { shortestStreamMs: 1_000, minBackoffMs: 50, maxBackoffMs: 1_000 });
  const startedAt = Date.now();
  await until(() => expect(api.watches().length).toBeGreaterThanOrEqual(6));
  expect(Date.now() - startedAt).toBeGreaterThan(500);
  expect(told.words().slice(0, 3)).toEqual(['synced', 'lost', 'synced']);
});

test('streams that say something are well, however short they are', async () => {
  const [api, told] = await watched([], { shortestStreamMs: 60_000 });
  for (const name of ['a', 'b', 'c']) {
    api.put(name);
    await until(() => expect(told.words().at(-1)).toBe(`applied ${name}`));
    api.endStreams();
    await until(() => expect(api.streams()).toBe(1));
  }
  expect(told.words()).toEqual(['synced', 'applied a', 'applied b', 'applied c']);
});

test('the server says how long to wait', async () => {
  const api = await startCollection();
  const asked: number[] = [];
  api.behaviour.intercept = (_seen, response) => {
    asked.push(Date.now());
    if (asked.length > 1) return false;
    response.writeHead(429, { 'retry-after': '1' }).end('{}');
    return true;
  };
  const told = watch(api.server.origin);
  await until(() => expect(told.words()).toEqual(['lost', 'synced']));
  expect((asked[1] ?? 0) - (asked[0] ?? 0)).toBeGreaterThanOrEqual(990);
});
