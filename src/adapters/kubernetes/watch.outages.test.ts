import { expect, test } from 'vitest';
import { startCollection } from '../../../test/api-server/collection.ts';
import { answer, statusOf } from '../../../test/api-server/scripted.ts';
import { later, until, watch, watched } from '../../../test/api-server/watched.ts';
import { startRelay } from '../../../test/network/relay.ts';

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
  later(() => relay.close());
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
  later(() => relay.close());
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
