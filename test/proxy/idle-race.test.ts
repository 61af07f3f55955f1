import { createServer, type Server } from 'node:http';
import { expect, test } from 'vitest';
import { slice } from './objects.ts';
import { listen, pod, rawPod, stage, until } from './stage.ts';

/** Counts the runs of each call by the id in its body. */
function counting() {
  const runs = new Map<string, number>();
  return {
    runs,
    ran: (id: string) => runs.set(id, (runs.get(id) ?? 0) + 1),
    twice: () => [...runs].filter(([, count]) => count > 1),
  };
}

/**
 * A server that closes connections after they were idle for so long, and says nothing of it. It looks for bytes first,
 * so that a stall of this test's own process (everything runs in it) does not count as the silence of a caller.
 */
async function impatient(idleMs: number, ran: (body: string) => void) {
  return await rawPod((socket) => {
    let text = '';
    socket.setTimeout(idleMs);
    socket.on('timeout', () => {
      const before = socket.bytesRead;
      setImmediate(() => {
        if (socket.bytesRead === before) socket.destroy();
      });
    });
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (end < 0 || text.length < end + 4 + length) return;
      ran(text.slice(end + 4, end + 4 + length));
      text = '';
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
  });
}

test('POST every 100 ± 5 ms against a server closing idle sockets at 100 ms, 500 times: no 502, none run twice', async () => {
  const { runs, ran, twice } = counting();
  const target = await impatient(100, ran);
  const { url, serve } = await stage();
  serve('ns', 'f', [target.port]);
  const statuses = new Map<number, number>();
  let sent = 0;
  // Ten callers side by side come to 500 calls in five seconds; each keeps the pace of one.
  const caller = async (lane: number): Promise<void> => {
    for (let i = 0; i < 50; i += 1) {
      await new Promise((resolve) => setTimeout(resolve, 95 + Math.random() * 10));
      sent += 1;
      const answer = await fetch(`${url}/fn/ns/f`, { method: 'POST', body: `${lane}-${i}` });
      await answer.text();
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 10 }, (_, lane) => caller(lane)));
  expect([...statuses]).toEqual([[200, 500]]);
  expect(twice()).toEqual([]);
  expect(runs.size).toBe(sent);
});

test('the same one after the other, and with GET, which may be sent again', async () => {
  const { ran } = counting();
  const target = await impatient(30, ran);
  const { url, serve } = await stage();
  serve('ns', 'f', [target.port]);
  for (let i = 0; i < 60; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 28 + Math.random() * 4));
    const post = await fetch(`${url}/fn/ns/f`, { method: 'POST', body: String(i) });
    expect(post.status).toBe(200);
    await post.text();
    const get = await fetch(`${url}/fn/ns/f`);
    expect(get.status).toBe(200);
    await get.text();
  }
});

/** Callers that post one call after the other, while pods come and go; `replace` takes the old one away. */
async function underLoad(replace: (old: { server: Server; port: number }) => Promise<void> | void) {
  const { runs, ran, twice } = counting();
  const start = async () => {
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (piece) => {
        body += piece;
      });
      request.on('end', () => {
        ran(body);
        setTimeout(() => response.end('ok'), 3);
      });
    });
    return { server, port: await listen(server) };
  };
  const { cluster, url, serve } = await stage();
  let current = await start();
  serve('ns', 'f', [current.port]);
  const statuses = new Map<number, number>();
  let running = true;
  let sent = 0;
  const caller = async (lane: number): Promise<void> => {
    for (let i = 0; running; i += 1) {
      sent += 1;
      const answer = await fetch(`${url}/fn/ns/f`, { method: 'POST', body: `${lane}-${i}` });
      await answer.text();
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    }
  };
  const callers = Array.from({ length: 8 }, (_, lane) => caller(lane));
  for (let i = 0; i < 8; i += 1) {
    const before = sent;
    await until(() => sent > before + 100);
    const next = await start();
    const leaving = { ready: false, serving: true, terminating: true };
    cluster.apply(slice('ns', 'f', [{ port: next.port }]));
    cluster.apply(slice('ns', 'f', [{ port: current.port, conditions: leaving }]));
    await replace(current);
    cluster.remove(slice('ns', 'f', [{ port: current.port }]));
    current = next;
  }
  running = false;
  await Promise.all(callers);
  current.server.close();
  return { statuses, runs, sent, twice: twice() };
}

test('a pod deleted under load: no 502, no POST run twice', async () => {
  const { statuses, runs, sent, twice } = await underLoad(async ({ server }) => {
    // As with `preStop`: what was written before the endpoints changed is read before the pod ends.
    await new Promise((resolve) => setTimeout(resolve, 100));
    server.close();
  });
  expect([...statuses.keys()]).toEqual([200]);
  expect(twice).toEqual([]);
  expect(runs.size).toBe(sent);
});

test('a pod that drops its connections at once may lose a POST that it has not read, but none runs twice', async () => {
  const { statuses, runs, twice } = await underLoad(({ server }) => {
    server.close();
  });
  expect(twice).toEqual([]);
  const answered = statuses.get(200) ?? 0;
  expect(runs.size).toBeGreaterThanOrEqual(answered);
  for (const status of statuses.keys()) expect([200, 502]).toContain(status);
});

test('a POST whose connection breaks after it was written is not sent again', async () => {
  let requests = 0;
  const target = await rawPod((socket) => {
    socket.on('data', () => {
      requests += 1;
      if (requests === 2) socket.destroy();
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
  });
  const { url, serve } = await stage();
  serve('ns', 'f', [target.port]);
  const post = () => fetch(`${url}/fn/ns/f`, { method: 'POST', body: 'x' });
  expect((await post()).status).toBe(200);
  expect((await post()).status).toBe(502);
  expect(requests).toBe(2);
});

test('a GET on a reused connection that breaks without a byte of answer is sent once more', async () => {
  let requests = 0;
  const target = await rawPod((socket) => {
    socket.on('data', () => {
      requests += 1;
      if (requests === 2) socket.destroy();
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
  });
  const { url, serve } = await stage();
  serve('ns', 'f', [target.port]);
  for (let i = 0; i < 2; i += 1) expect(await (await fetch(`${url}/fn/ns/f`)).text()).toBe('ok');
  expect(requests).toBe(3);
});

test('a GET that got a byte of answer, or broke a fresh connection, is not', async () => {
  let requests = 0;
  const target = await rawPod((socket) => {
    socket.on('data', () => {
      requests += 1;
      if (requests === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      else socket.end('HTTP');
    });
  });
  const { url, serve } = await stage();
  serve('ns', 'f', [target.port]);
  expect((await fetch(`${url}/fn/ns/f`)).status).toBe(200);
  expect((await fetch(`${url}/fn/ns/f`)).status).toBe(502);
  expect((await fetch(`${url}/fn/ns/f`)).status).toBe(502);
  expect(requests).toBe(3);
});

test('an idle connection is closed before the pod would', async () => {
  const target = await pod((_, response) => response.end('ok'));
  const { url, serve } = await stage({ idleTimeoutMs: 100 });
  serve('ns', 'f', [target.port]);
  const closed = new Promise<void>((resolve) => {
    target.server.on('connection', (socket) => socket.on('end', resolve));
  });
  await (await fetch(`${url}/fn/ns/f`)).text();
  await closed;
});
