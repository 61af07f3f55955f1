import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import type { Invocation } from '../../src/ports/invocation-log.ts';
import { fn } from './objects.ts';
import { pod, rawPod, stage, until } from './stage.ts';

async function recorded() {
  const records: Invocation[] = [];
  const calls = { record: (call: Invocation) => void records.push(call), clock: Date, newId: randomUUID };
  const set = await stage({ maxBody: 1000, maxInFlightPerFunction: 1 }, { calls });
  const next = async (count = 1): Promise<Invocation> => {
    await until(() => records.length >= count);
    expect(records).toHaveLength(count);
    return records.at(-1) as Invocation;
  };
  return { ...set, records, next };
}

test('every call of a function is recorded, with nothing of its content', async () => {
  const { url, serve, next } = await recorded();
  const { port } = await pod((request, response) => {
    request.resume().on('end', () => response.writeHead(request.method === 'PUT' ? 418 : 201).end('hello'));
  });
  serve('ns', 'f', [port]);
  const before = Date.now();
  const trace = '0af7651916cd43dd8448eb211c80319c';
  const answer = await fetch(`${url}/fn/ns/f/secret?token=x`, {
    method: 'POST',
    body: '123',
    headers: { traceparent: `00-${trace}-b7ad6b7169203331-01` },
  });
  const ok = await next();
  expect(ok).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    namespace: 'ns',
    function: 'f',
    trigger: 'http',
    startedAt: expect.any(Number),
    durationMs: expect.any(Number),
    outcome: 'ok',
    status: 201,
    bytesIn: 3,
    bytesOut: 5,
    attempt: 1,
    requestId: answer.headers.get('x-request-id'),
    traceId: trace,
  });
  expect(ok.startedAt).toBeGreaterThanOrEqual(before - 1);
  expect(ok.startedAt + ok.durationMs).toBeLessThanOrEqual(Date.now() + 1);
  await fetch(`${url}/fn/ns/f`, { method: 'PUT' });
  expect(await next(2)).toMatchObject({ outcome: 'error', status: 418 });
  expect((await next(2)).traceId).toMatch(/^[0-9a-f]{32}$/);
});

test('calls that a function did not answer are recorded with the reason, others not at all', async () => {
  const { url, serve, cluster, next, records } = await recorded();
  serve('ns', 'gone', []);
  await fetch(`${url}/fn/ns/gone`);
  expect(await next(1)).toMatchObject({ outcome: 'failed', status: 502, reason: 'UpstreamUnreachable' });
  serve('ns', 'stopped', []);
  cluster.apply(fn('ns', 'stopped', { replicas: 0 }));
  await fetch(`${url}/fn/ns/stopped`);
  expect(await next(2)).toMatchObject({ outcome: 'failed', status: 503, reason: 'FunctionStopped' });
  const silent = await rawPod(() => {});
  serve('ns', 'slow', [silent.port], { timeoutSeconds: 1 });
  const slow = fetch(`${url}/fn/ns/slow`);
  await until(() => silent.sockets.size === 1);
  expect((await fetch(`${url}/fn/ns/slow`)).status).toBe(429);
  expect(await next(3)).toMatchObject({ outcome: 'failed', status: 429, reason: 'TooManyRequests' });
  expect((await slow).status).toBe(504);
  const late = await next(4);
  expect(late).toMatchObject({ outcome: 'failed', status: 504, reason: 'FunctionTimeout' });
  expect(late.durationMs).toBeGreaterThanOrEqual(1000);
  await fetch(`${url}/fn/ns/slow`, { method: 'POST', body: 'x'.repeat(1001) });
  expect(await next(5)).toMatchObject({ outcome: 'failed', status: 413, reason: 'PayloadTooLarge' });
  await fetch(`${url}/fn/ns/nothing`);
  await fetch(`${url}/elsewhere`);
  expect(records).toHaveLength(5);
});

test('an answer that breaks off, and a caller that leaves, are failures', async () => {
  const { port: proxy, serve, next, url } = await recorded();
  const broken = await rawPod((socket) =>
    socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf')),
  );
  serve('ns', 'broken', [broken.port]);
  await fetch(`${url}/fn/ns/broken`)
    .then((answer) => answer.text())
    .catch(() => {});
  expect(await next(1)).toMatchObject({
    outcome: 'failed',
    status: 200,
    reason: 'UpstreamInvalid',
    bytesOut: 4,
  });
  const silent = await rawPod(() => {});
  serve('ns', 'silent', [silent.port]);
  const socket = connect(proxy, '127.0.0.1', () =>
    socket.write('GET /fn/ns/silent HTTP/1.1\r\nHost: x\r\n\r\n'),
  );
  await until(() => silent.sockets.size === 1);
  socket.destroy();
  const left = await next(2);
  expect(left).toMatchObject({ outcome: 'failed', function: 'silent' });
  expect(left.status).toBeUndefined();
  expect(left.reason).toBeUndefined();
});
