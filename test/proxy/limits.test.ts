import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { fn } from './objects.ts';
import { pod, raw, rawPod, rawRequest, silent, stage, until } from './stage.ts';

test('over the time limit until the head: 504, and the pod is let go at once', async () => {
  let closed = 0;
  const { port } = await pod((request) => request.on('close', () => (closed += 1)));
  const { url, serve } = await stage();
  serve('ns', 'f', [port], { timeoutSeconds: 1 });
  const began = Date.now();
  const answer = await fetch(`${url}/fn/ns/f`, { method: 'POST', body: 'x' });
  expect(answer.status).toBe(504);
  expect(await answer.json()).toEqual({
    error: 'the function did not answer within 1 s',
    code: 'FunctionTimeout',
  });
  expect(Date.now() - began).toBeGreaterThan(950);
  await until(() => closed === 1);
});

test.each([
  ['a head that drips', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', 1],
  ['interim answers', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n', undefined],
])('%s is no sign of life: 504 in time', async (_, text, size) => {
  const { port } = await rawPod((socket) => {
    let at = 0;
    const timer = setInterval(() => {
      socket.write(size === undefined ? text : text.slice(at, at + size));
      at += size ?? 0;
    }, 300);
    socket.on('close', () => clearInterval(timer));
    socket.on('end', () => socket.end());
  });
  const { port: front, serve } = await stage();
  serve('ns', 'f', [port], { timeoutSeconds: 1 });
  const began = Date.now();
  const answer = await rawRequest(front, '/fn/ns/f');
  expect(answer.text).toContain('"code":"FunctionTimeout"');
  expect(Date.now() - began).toBeGreaterThan(950);
  // Fifteen drips and more would come before the head is complete.
  expect(Date.now() - began).toBeLessThan(4000);
});

test('after the head the limit is the longest silence: streams live on, silent ones are cut', async () => {
  const { port } = await pod((request, response) => {
    response.write('0');
    let count = 0;
    const timer = setInterval(() => {
      count += 1;
      if (request.url === '/silent') return;
      response.write(String(count));
      if (count === 8) response.end();
    }, 300);
    response.on('close', () => clearInterval(timer));
  });
  const { url, serve } = await stage();
  serve('ns', 'f', [port], { timeoutSeconds: 1 });
  expect(await (await fetch(`${url}/fn/ns/f/alive`)).text()).toBe('012345678');
  await expect(fetch(`${url}/fn/ns/f/silent`).then((answer) => answer.text())).rejects.toThrow();
});

test('a long upload does not count against the function’s time, which begins when it has everything', async () => {
  const { port } = await pod((request, response) => {
    request.resume();
    request.on('end', () => setTimeout(() => response.end('ok'), 700));
  });
  const { port: front, serve } = await stage();
  serve('ns', 'f', [port], { timeoutSeconds: 1 });
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const request = httpRequest({ port: front, path: '/fn/ns/f', method: 'POST' }, (response) =>
      resolve(response.statusCode),
    );
    request.on('error', reject);
    let left = 6;
    const timer = setInterval(() => {
      left -= 1;
      if (left > 0) request.write('x'.repeat(1000));
      else {
        clearInterval(timer);
        request.end();
      }
    }, 300);
  });
  expect(status).toBe(200);
});

/** A function whose calls end when told. */
async function held(options = {}, names = ['f']) {
  const open: (() => void)[] = [];
  const { port } = await pod((_, response) => open.push(() => response.end('ok')));
  const set = await stage(options);
  for (const name of names) set.serve('ns', name, [port], { concurrency: 2 });
  return { ...set, open };
}

test('too many in flight for one function: 429 with Retry-After, and a place again afterwards', async () => {
  const { url, open, port } = await held();
  const running = [fetch(`${url}/fn/ns/f`), fetch(`${url}/fn/ns/f`)];
  await until(() => open.length === 2);
  const answer = await rawRequest(port, '/fn/ns/f');
  expect(answer.status).toBe(429);
  expect(answer.head).toContain('Retry-After: 1');
  expect(JSON.parse(answer.body).code).toBe('TooManyRequests');
  for (const end of open.splice(0)) end();
  for (const one of await Promise.all(running)) expect(await one.text()).toBe('ok');
  const again = fetch(`${url}/fn/ns/f`);
  await until(() => open.length === 1);
  open[0]!();
  expect((await again).status).toBe(200);
});

test('too many for one tenant: the others are still served', async () => {
  const { url, open, cluster, serve } = await held({ maxInFlightPerTenant: 2 }, ['f', 'g']);
  const other = await pod((_, response) => response.end('other'));
  serve('elsewhere', 'f', [other.port]);
  const running = [fetch(`${url}/fn/ns/f`), fetch(`${url}/fn/ns/g`)];
  await until(() => open.length === 2);
  expect((await fetch(`${url}/fn/ns/f`)).status).toBe(429);
  expect(await (await fetch(`${url}/fn/elsewhere/f`)).text()).toBe('other');
  for (const end of open) end();
  await Promise.all(running);
  cluster.apply(fn('ns', 'f'));
});

test('places come back however a call ends', async () => {
  const { port: front, url, proxy, serve } = await stage({ maxInFlightPerFunction: 1, bodyIdleMs: 100 });
  const target = await pod((request, response) => {
    if (request.url === '/hang') return;
    if (request.url === '/break') request.socket.destroy();
    else if (request.url === '/half') {
      response.write('x');
      setTimeout(() => request.socket.destroy(), 5);
    } else response.end('ok');
  });
  serve('ns', 'f', [target.port], { timeoutSeconds: 1 });
  const free = (): boolean => [...proxy.stats().routes()].every((route) => route.inFlight === 0);
  const ways: (() => Promise<unknown>)[] = [
    () => fetch(`${url}/fn/ns/f`),
    () => fetch(`${url}/fn/ns/f/hang`, { signal: AbortSignal.timeout(50) }),
    () => fetch(`${url}/fn/ns/f/hang`),
    () => fetch(`${url}/fn/ns/f/break`),
    () => fetch(`${url}/fn/ns/f/half`).then((answer) => answer.text()),
    () =>
      raw(front, 'POST /fn/ns/f HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc', (text) =>
        text.includes('}'),
      ),
    () => raw(front, 'POST /fn/ns/f HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'),
    () =>
      raw(
        front,
        'GET /fn/ns/f HTTP/1.1\r\nHost: x\r\n\r\nGET /fn/ns/f HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      ),
  ];
  for (const [i, way] of ways.entries()) {
    await way().catch(() => {});
    await until(free).catch(() => expect.fail(`way ${i} keeps its place`));
    const after = await fetch(`${url}/fn/ns/f`);
    expect(after.status, `after way ${i}`).toBe(200);
    await after.text();
    await until(free);
  }
});

test('a caller that leaves frees the pod at once, in every phase', async () => {
  let opened = 0;
  const target = await rawPod((socket) => {
    opened += 1;
    socket.once('data', (bytes) => {
      if (bytes.includes('/head'))
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n');
    });
    socket.resume();
    socket.on('end', () => socket.end());
  });
  const { port, serve } = await stage();
  serve('ns', 'f', [target.port]);
  for (const text of [
    'GET /fn/ns/f/wait HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /fn/ns/f/head HTTP/1.1\r\nHost: x\r\n\r\n',
    'POST /fn/ns/f/upload HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n',
  ]) {
    const before = opened;
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    await until(() => opened === before + 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    socket.destroy();
    await until(() => target.sockets.size === 0);
  }
});

test('1,000 event-stream clients cut: process alive, upstream sockets freed', async () => {
  const target = await rawPod((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n');
      const timer = setInterval(() => socket.write('data: x\n\n'), 200);
      socket.on('close', () => clearInterval(timer));
    });
    socket.on('end', () => socket.end());
  });
  const { port, url, proxy, serve } = await stage({ maxInFlightPerFunction: 2000 });
  serve('ns', 'f', [target.port]);
  let events = 0;
  const clients = Array.from({ length: 1000 }, () => {
    const socket = connect(port, '127.0.0.1', () => socket.write('GET /fn/ns/f HTTP/1.1\r\nHost: x\r\n\r\n'));
    socket.once('data', () => (events += 1));
    socket.on('error', () => {});
    return socket;
  });
  await until(() => events === 1000, 25_000);
  expect(target.sockets.size).toBe(1000);
  for (const client of clients) client.destroy();
  await until(() => target.sockets.size === 0, 25_000);
  await until(() => [...proxy.stats().routes()][0]?.inFlight === 0);
  const next = await pod((_, response) => response.end('alive'));
  serve('ns', 'g', [next.port]);
  expect(await (await fetch(`${url}/fn/ns/g`)).text()).toBe('alive');
}, 60_000);

test('what is not HTTP, a head that is too large: JSON as everywhere', async () => {
  const { port } = await stage();
  const bad = await raw(port, 'GET /fn/ns/f HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n');
  expect([bad.status, JSON.parse(bad.body).code]).toEqual([400, 'InvalidRequest']);
  expect(bad.head).toMatch(/X-Request-Id: [0-9a-f]{32}/);
  const large = await raw(port, `GET /fn/ns/f HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`);
  expect([large.status, JSON.parse(large.body).code]).toEqual([431, 'HeadersTooLarge']);
  const nameless = await raw(port, 'GET /fn/ns/f HTTP/1.1\r\nConnection: close\r\n\r\n');
  expect(nameless.status).toBe(400);
});

test('calls are counted by function, class and duration, refusals by code', async () => {
  const { port } = await pod((request, response) =>
    response.writeHead(request.url === '/bad' ? 500 : 200).end('xy'),
  );
  const { url, proxy, serve } = await stage();
  serve('ns', 'f', [port]);
  await (await fetch(`${url}/fn/ns/f`, { method: 'POST', body: 'abc' })).text();
  await (await fetch(`${url}/fn/ns/f/bad`)).text();
  await (await fetch(`${url}/fn/ns/none`)).text();
  const stats = proxy.stats();
  await until(() => [...stats.routes()][0]?.inFlight === 0);
  const [route] = [...stats.routes()];
  expect(route).toMatchObject({
    namespace: 'ns',
    name: 'f',
    byClass: [0, 0, 1, 0, 0, 1],
    bytesIn: 3,
    bytesOut: 4,
  });
  expect(route!.buckets.reduce((sum, count) => sum + count)).toBe(2);
  expect(stats.refused.get('NotFound')).toBe(1);
});

test('the access log, when asked for, has a line a call and nothing of its path', async () => {
  const lines: object[] = [];
  const { port } = await pod((_, response) => response.end('xy'));
  const logger = { ...silent, info: (fields: object) => lines.push(fields) };
  const { url, serve } = await stage({ accessLog: true }, { logger });
  serve('ns', 'f', [port]);
  await (await fetch(`${url}/fn/ns/f/secret?token=1`, { method: 'POST', body: 'abc' })).text();
  await until(() => lines.length === 1);
  expect(lines[0]).toMatchObject({
    namespace: 'ns',
    function: 'f',
    method: 'POST',
    status: 200,
    bytesIn: 3,
    bytesOut: 2,
  });
  expect(JSON.stringify(lines)).not.toMatch(/secret|token/);
});
