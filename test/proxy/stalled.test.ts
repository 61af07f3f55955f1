import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { pod, raw, rawRequest, type Stage, stage, until } from './stage.ts';

/** Connections that send a request in part and fall silent. `answered` counts those that got anything back. */
async function stall({ port }: Stage, count: number, bytes: string, localAddress = '127.0.0.1') {
  const sockets: Socket[] = [];
  const state = { answered: 0, sockets };
  await Promise.all(
    Array.from({ length: count }, () => {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      sockets.push(socket);
      socket.on('error', () => {});
      socket.once('data', () => (state.answered += 1));
      return new Promise<void>((resolve) =>
        socket.once('connect', () => socket.write(bytes, () => resolve())),
      );
    }),
  );
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return state;
}

async function echo(options = {}, spec = {}): Promise<Stage & { seen: () => number }> {
  let seen = 0;
  const { port } = await pod((request, response) => {
    seen += 1;
    request.resume().on('end', () => response.end('ok'));
  });
  const set = await stage(options);
  set.serve('ns', 'f', [port], spec);
  return { ...set, seen: () => seen };
}

const inFlight = ({ proxy }: Stage): number => [...proxy.stats().routes()][0]?.inFlight ?? 0;

test('a hundred senders who stop within a small body keep nobody out', async () => {
  const set = await echo();
  await stall(set, 150, 'POST /fn/ns/f HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"half');
  await until(() => inFlight(set) === 150);
  for (let i = 0; i < 20; i += 1) {
    const answer = await fetch(`${set.url}/fn/ns/f`, { method: 'POST', body: 'whole' });
    expect([answer.status, await answer.text()]).toEqual([200, 'ok']);
  }
  expect(set.seen()).toBe(20);
});

test.each([
  ['a large body', 'Content-Length: 1000000\r\n\r\nhalf'],
  ['chunks', 'Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n'],
])('senders who stop within %s leave places to others, even to one more upload', async (_, rest) => {
  const set = await echo();
  const head = `POST /fn/ns/f HTTP/1.1\r\nHost: x\r\n${rest}`;
  const stalled = await stall(set, 120, head);
  await until(() => inFlight(set) === 50 && stalled.answered === 70);
  expect((await fetch(`${set.url}/fn/ns/f`)).status).toBe(200);
  expect((await fetch(`${set.url}/fn/ns/f`, { method: 'POST', body: 'small' })).status).toBe(200);
  // Another address has some of its own, until three quarters are held.
  const others = await stall(set, 30, head, '127.0.0.2');
  await until(() => inFlight(set) === 75 && others.answered === 5);
  expect((await fetch(`${set.url}/fn/ns/f`)).status).toBe(200);
  const refused = await rawRequest(set.port, '/fn/ns/f', `${rest.split('\r\n\r\n')[0]}\r\n`, 'POST');
  expect(refused.status).toBe(429);
  expect(refused.head).toContain('Retry-After: 1');
  expect(JSON.parse(refused.body).error).toContain('request bodies on their way');
  for (const socket of stalled.sockets) socket.destroy();
  await until(() => inFlight(set) === 25);
  const large = await fetch(`${set.url}/fn/ns/f`, { method: 'POST', body: Buffer.alloc(1_000_000) });
  expect(large.status).toBe(200);
});

test('an upload that is through is none any more: its call goes on, and others may begin', async () => {
  const open: (() => void)[] = [];
  const { port } = await pod((request, response) => {
    request.resume().on('end', () => open.push(() => response.end('ok')));
  });
  const { url, serve } = await stage();
  serve('ns', 'f', [port], { concurrency: 4 });
  const send = () => fetch(`${url}/fn/ns/f`, { method: 'POST', body: Buffer.alloc(100_000) });
  const running: Promise<Response>[] = [];
  for (let i = 1; i <= 4; i += 1) {
    running.push(send());
    await until(() => open.length === i);
  }
  expect((await send()).status).toBe(429);
  for (const end of open) end();
  for (const answer of await Promise.all(running)) expect(answer.status).toBe(200);
});

test('a small body that comes when no place is left is refused, at its head or at its end', async () => {
  const open: (() => void)[] = [];
  const { port } = await pod((_, response) => open.push(() => response.end('ok')));
  const set = await stage();
  set.serve('ns', 'f', [port], { concurrency: 1 });
  const half = 'POST /fn/ns/f HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 4\r\n\r\nha';
  const begun = connect(set.port, '127.0.0.1', () => begun.write(half));
  let text = '';
  begun.on('data', (piece) => (text += piece));
  await until(() => inFlight(set) === 1);
  const running = fetch(`${set.url}/fn/ns/f`);
  await until(() => open.length === 1);
  expect((await raw(set.port, `${half}lf`)).status).toBe(429);
  begun.write('lf');
  await until(() => text.includes('}'));
  expect(text).toMatch(/^HTTP\/1.1 429 /);
  open[0]!();
  expect((await running).status).toBe(200);
  await until(() => inFlight(set) === 0);
  const after = fetch(`${set.url}/fn/ns/f`, { method: 'POST', body: 'x' });
  await until(() => open.length === 2);
  open[1]!();
  expect((await after).status).toBe(200);
});

test('who does not finish a small body is told so, and its connection ends', async () => {
  const set = await echo({ bodyIdleMs: 100 });
  const answer = await raw(set.port, 'POST /fn/ns/f HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc');
  expect([answer.status, JSON.parse(answer.body).code]).toEqual([408, 'RequestTimeout']);
  expect(answer.head).toContain('Connection: close');
  await until(() => inFlight(set) === 0);
});

test.each([-1, 1])(
  'a wall clock that is set by %i hours ends no call, and lets none live on',
  async (hours) => {
    const open: (() => void)[] = [];
    const { port } = await pod((request, response) => {
      if (request.url !== '/hangs') open.push(() => response.end('ok'));
    });
    const { url, serve } = await stage();
    serve('ns', 'f', [port], { timeoutSeconds: 1 });
    const [running, hanging] = [fetch(`${url}/fn/ns/f`), fetch(`${url}/fn/ns/f/hangs`)];
    await until(() => open.length === 1);
    const real = Date.now;
    vi.spyOn(Date, 'now').mockImplementation(() => real() + hours * 3_600_000);
    onTestFinished(() => void vi.restoreAllMocks());
    // Two looks at the limits, which are 100 ms apart.
    await new Promise((resolve) => setTimeout(resolve, 250));
    open[0]!();
    expect((await running).status).toBe(200);
    expect((await hanging).status).toBe(504);
  },
);
