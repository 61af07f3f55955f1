import { expect, test } from 'vitest';
import { fn, slice, tenant, trigger } from './objects.ts';
import { pod, rawRequest, stage, until } from './stage.ts';

const withoutId = (head: string): string =>
  head.replace(/X-Request-Id: \w+/, 'X-Request-Id: …').replace(/Date: [^\r]+/, 'Date: …');

test('a Function with only a cron Trigger, a disabled http Trigger, no Trigger, a name that does not exist: the same 404', async () => {
  const { port: target } = await pod((_, response) => response.end('reached'));
  const { cluster, port } = await stage();
  const gone = { ...trigger('ns', 'gone') };
  cluster.apply(
    tenant('ns'),
    ...['cron', 'off', 'none', 'orphan', 'gone', 'going', 'ref'].flatMap((name) => [
      fn('ns', name),
      slice('ns', name, [{ port: target, pod: name }]),
    ]),
    trigger('ns', 'cron', { type: 'cron', schedule: '* * * * *' }),
    trigger('ns', 'off', { enabled: false }),
    trigger('ns', 'gone'),
    {
      ...trigger('ns', 'going'),
      metadata: { name: 'going', namespace: 'ns', deletionTimestamp: '2026-01-01T00:00:00Z' },
    },
    // Of another namespace, though it names a Function that is there.
    trigger('other', 'ref'),
    trigger('ns', 'stray', { functionRef: 'missing' }),
  );
  cluster.remove(gone);
  // All is there but the namespace is not enabled: what is called `kubernetes` there is not ours to open.
  cluster.apply(tenant('default', {}), fn('default', 'kubernetes'), trigger('default', 'kubernetes'));
  cluster.apply(slice('default', 'kubernetes', [{ port: target }]));
  const answers = await Promise.all(
    ['cron', 'off', 'none', 'gone', 'going', 'ref', 'missing', 'nowhere']
      .map((name) => `/fn/ns/${name}`)
      .concat('/fn/default/kubernetes', '/fn/void/f', '/fn/ns/cron/x?y', '/fn/ns', '/fn/')
      .map((path) => rawRequest(port, path)),
  );
  const [first] = answers;
  expect(first).toMatchObject({
    status: 404,
    body: JSON.stringify({ error: 'no function is served here', code: 'NotFound' }),
  });
  for (const answer of answers) {
    expect(answer.body).toBe(first!.body);
    expect(withoutId(answer.head)).toBe(withoutId(first!.head));
  }
  cluster.apply(trigger('ns', 'off'));
  expect((await rawRequest(port, '/fn/ns/off')).body).toContain('reached');
  cluster.apply(tenant('default'));
  expect((await rawRequest(port, '/fn/default/kubernetes')).status).toBe(200);
  cluster.apply(tenant('default', {}));
  expect((await rawRequest(port, '/fn/default/kubernetes')).status).toBe(404);
});

test('an enabled Trigger but 0 replicas wanted is 503 with Retry-After; none ready 502', async () => {
  const { port: target } = await pod((_, response) => response.end('reached'));
  const { cluster, port, serve } = await stage();
  serve('ns', 'f', [], { replicas: 0 });
  const stopped = await rawRequest(port, '/fn/ns/f');
  expect(stopped.status).toBe(503);
  expect(stopped.head).toMatch(/\r\nRetry-After: \d+\r\n/);
  expect(JSON.parse(stopped.body).code).toBe('FunctionStopped');
  cluster.apply(fn('ns', 'f'));
  expect((await rawRequest(port, '/fn/ns/f')).status).toBe(502);
  const notReady = slice('ns', 'f', [{ port: target, conditions: { ready: false, serving: false } }]);
  cluster.apply(notReady);
  const none = await rawRequest(port, '/fn/ns/f');
  expect(none.status).toBe(502);
  expect(JSON.parse(none.body).code).toBe('UpstreamUnreachable');
  cluster.apply(slice('ns', 'f', [{ port: target }]));
  expect((await rawRequest(port, '/fn/ns/f')).status).toBe(200);
});

test('pods that are leaving answer only while no other is ready', async () => {
  const [old, young] = [await pod((_, r) => r.end('old')), await pod((_, r) => r.end('young'))];
  const { cluster, port, serve } = await stage();
  serve('ns', 'f', []);
  const leaving = { ready: false, serving: true, terminating: true };
  cluster.apply(slice('ns', 'f', [{ port: old.port, conditions: leaving }]));
  expect((await rawRequest(port, '/fn/ns/f')).body).toContain('old');
  cluster.apply(fn('ns', 'f', { replicas: 0 }));
  expect((await rawRequest(port, '/fn/ns/f')).status).toBe(503);
  cluster.apply(fn('ns', 'f'));
  cluster.apply(slice('ns', 'f', [{ port: young.port }]));
  for (let i = 0; i < 4; i += 1) expect((await rawRequest(port, '/fn/ns/f')).body).toContain('young');
});

test('slices that are not of our Service are not called', async () => {
  const { port: target } = await pod((_, response) => response.end('reached'));
  const { cluster, port, serve } = await stage();
  serve('ns', 'f', []);
  const own = slice('ns', 'f', [{ port: target }]);
  const { 'sless.dev/component': _, ...labels } = own.metadata.labels ?? {};
  cluster.apply({ ...own, metadata: { ...own.metadata, labels } });
  expect((await rawRequest(port, '/fn/ns/f')).status).toBe(502);
  cluster.apply(own);
  expect((await rawRequest(port, '/fn/ns/f')).status).toBe(200);
});

test('the last known routes stand while the watch is lost, and change when it is back', async () => {
  const { port: target } = await pod((_, response) => response.end('reached'));
  const { cluster, port, proxy, serve } = await stage();
  serve('ns', 'f', [target]);
  cluster.lose();
  expect(proxy.ready()).toBe(true);
  expect((await rawRequest(port, '/fn/ns/f')).status).toBe(200);
  cluster.resync();
  expect((await rawRequest(port, '/fn/ns/f')).status).toBe(200);
  cluster.remove(fn('ns', 'f'));
  expect((await rawRequest(port, '/fn/ns/f')).status).toBe(404);
  cluster.apply(fn('ns', 'f'));
  cluster.resync();
  expect((await rawRequest(port, '/fn/ns/f')).status).toBe(200);
});

test('calls are spread evenly over the pods, and each pod is called again over the same connections', async () => {
  const pods = await Promise.all(
    [0, 1, 2, 3].map(() => pod((_, response) => setTimeout(() => response.end('x'), 1))),
  );
  const counts = pods.map(() => 0);
  const connections = pods.map(() => 0);
  for (const [i, { server }] of pods.entries()) {
    server.on('request', () => {
      counts[i]! += 1;
    });
    server.on('connection', () => {
      connections[i]! += 1;
    });
  }
  const { url, serve } = await stage();
  serve(
    'ns',
    'f',
    pods.map((one) => one.port),
  );
  for (let i = 0; i < 20; i += 1) await (await fetch(`${url}/fn/ns/f`)).text();
  expect(counts).toEqual([5, 5, 5, 5]);
  const lane = async (): Promise<void> => {
    for (let i = 0; i < 25; i += 1) await (await fetch(`${url}/fn/ns/f`)).text();
  };
  await Promise.all(Array.from({ length: 16 }, lane));
  for (const count of counts) expect(count).toBeGreaterThan(85);
  for (const count of connections) expect(count).toBeLessThanOrEqual(16);
});

test('a dead pod is left within one failed connect, and no call notices', async () => {
  const alive = await pod((_, response) => response.end('alive'));
  const dead = await pod(() => {});
  const { url, serve } = await stage();
  serve('ns', 'f', [dead.port, alive.port]);
  await new Promise((resolve) => dead.server.close(resolve));
  for (let i = 0; i < 20; i += 1) {
    const answer = await fetch(`${url}/fn/ns/f`, { method: 'POST', body: 'x' });
    expect(await answer.text()).toBe('alive');
  }
});

test('a pod that swallows connection attempts is given up after the connect time', async () => {
  const alive = await pod((_, response) => response.end('alive'));
  const { cluster, url, serve } = await stage({ connectTimeoutMs: 100 });
  serve('ns', 'f', [alive.port]);
  // TEST-NET-1 is routed nowhere: depending on the machine the attempt hangs or fails.
  cluster.apply(slice('ns', 'f', [{ port: 9, address: '192.0.2.1' }]));
  for (let i = 0; i < 4; i += 1) expect(await (await fetch(`${url}/fn/ns/f`)).text()).toBe('alive');
});

test('a Function made again under its old name inherits no connection', async () => {
  const first = await pod((_, response) => response.end('x'));
  let connections = 0;
  first.server.on('connection', () => {
    connections += 1;
  });
  const { cluster, url, serve } = await stage();
  serve('ns', 'f', [first.port]);
  await (await fetch(`${url}/fn/ns/f`)).text();
  await (await fetch(`${url}/fn/ns/f`)).text();
  expect(connections).toBe(1);
  const again = fn('ns', 'f');
  cluster.apply({ ...again, metadata: { ...again.metadata, uid: 'another' } });
  await (await fetch(`${url}/fn/ns/f`)).text();
  expect(connections).toBe(2);
});

test('a pod that leaves finishes what it runs and gets nothing new', async () => {
  let finish: (() => void) | undefined;
  const old = await pod((_, response) => {
    finish = () => response.end('old');
  });
  const young = await pod((_, response) => response.end('young'));
  const { cluster, url, serve } = await stage();
  serve('ns', 'f', [old.port]);
  const running = fetch(`${url}/fn/ns/f`);
  await until(() => finish !== undefined);
  cluster.remove(slice('ns', 'f', [{ port: old.port }]));
  cluster.apply(slice('ns', 'f', [{ port: young.port }]));
  expect(await (await fetch(`${url}/fn/ns/f`)).text()).toBe('young');
  finish?.();
  expect(await (await running).text()).toBe('old');
});
