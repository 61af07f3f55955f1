import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { pod, raw, rawPod, stage, until } from './stage.ts';

async function sockets(options = {}, spec = {}) {
  const { server, port } = await pod((_, response) => response.end('plain'));
  const wss = new WebSocketServer({ server });
  const heads: Record<string, unknown>[] = [];
  wss.on('connection', (socket, request) => {
    heads.push({ url: request.url, ...request.headers });
    socket.on('message', (data, binary) => socket.send(data, { binary }));
    socket.on('error', () => {});
  });
  onTestFinished(() => {
    for (const client of wss.clients) client.terminate();
  });
  const set = await stage(options);
  set.serve('ns', 'f', [port], spec);
  const open = async (path = ''): Promise<WebSocket> => {
    const socket = new WebSocket(`ws://127.0.0.1:${set.port}/fn/ns/f${path}`);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    onTestFinished(() => socket.terminate());
    return socket;
  };
  return { ...set, wss, heads, open };
}

const echoed = (socket: WebSocket, data: string | Buffer): Promise<Buffer> =>
  new Promise((resolve) => {
    socket.once('message', (message) => resolve(message as Buffer));
    socket.send(data);
  });

test('WebSockets pass both ways, with path, query and fields', async () => {
  const { open, heads } = await sockets();
  const socket = await open('/room?x=1');
  expect((await echoed(socket, 'hello')).toString()).toBe('hello');
  const large = Buffer.alloc(3_000_000, 7);
  expect((await echoed(socket, large)).equals(large)).toBe(true);
  expect(heads[0]).toMatchObject({ url: '/room?x=1', upgrade: 'websocket', 'x-sless-trigger': 'http' });
});

test('either end leaving frees the other', async () => {
  const { open, wss, proxy } = await sockets();
  const first = await open();
  first.terminate();
  await until(() => wss.clients.size === 0);
  const second = await open();
  const closed = new Promise((resolve) => second.once('close', resolve));
  for (const client of wss.clients) client.terminate();
  await closed;
  const third = await open();
  third.close();
  await until(() => wss.clients.size === 0);
  await until(() => [...proxy.stats().routes()][0]?.inFlight === 0);
});

test('a silent WebSocket is cut after the function’s time, a talking one is not', async () => {
  const { open } = await sockets({}, { timeoutSeconds: 1 });
  const silent = await open();
  const talking = await open();
  const timer = setInterval(() => talking.send('x'), 200);
  await new Promise((resolve) => silent.once('close', resolve));
  expect(talking.readyState).toBe(WebSocket.OPEN);
  clearInterval(timer);
});

test('bytes that come with the head are not lost, on either side', async () => {
  const target = await rawPod((socket) => {
    socket.once('data', (head) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\nearly');
      const text = head.toString('latin1');
      socket.write(text.slice(text.indexOf('\r\n\r\n') + 4));
      socket.on('data', (bytes) => socket.write(bytes));
    });
    socket.on('end', () => socket.end());
  });
  const { port, serve } = await stage();
  serve('ns', 'f', [target.port]);
  const answer = await raw(
    port,
    'GET /fn/ns/f HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nahead',
    (text) => text.includes('earlyahead'),
  );
  expect(answer.head).toMatch(/^HTTP\/1.1 101 /);
  expect(answer.head).toMatch(/\r\nUpgrade: echo/);
});

test('a function that does not switch answers as always, and the connection ends', async () => {
  const { port: target } = await pod((_, response) =>
    response.writeHead(426, { upgrade: 'x' }).end('no sockets here'),
  );
  const { port, proxy, serve } = await stage();
  serve('ns', 'f', [target]);
  const text = 'GET /fn/ns/f HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
  const answer = await raw(port, text);
  expect(answer.status).toBe(426);
  expect(answer.text).toContain('no sockets here');
  expect(answer.head).toMatch(/Connection: close/i);
  await until(() => [...proxy.stats().routes()][0]?.inFlight === 0);
  expect((await raw(port, text.replace('/ns/f', '/ns/none'))).status).toBe(404);
  expect((await raw(port, text.replace('\r\n\r\n', '\r\nContent-Length: 1\r\n\r\nx'))).status).toBe(400);
});

test('an offer of h2c is ignored and a body with it is kept', async () => {
  const { port: target } = await pod((request, response) => {
    let body = '';
    request.on('data', (piece) => (body += piece));
    request.on('end', () => response.end(`${body} ${request.headers.upgrade}`));
  });
  const { port, serve } = await stage();
  serve('ns', 'f', [target]);
  const answer = await raw(
    port,
    'POST /fn/ns/f HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nContent-Length: 5\r\n\r\nhello',
  );
  expect(answer.text).toContain('hello undefined');
});

test('a caller that leaves before the switch frees the pod', async () => {
  const target = await rawPod((socket) => {
    socket.resume();
    socket.on('end', () => socket.end());
  });
  const { port, serve, proxy } = await stage();
  serve('ns', 'f', [target.port]);
  const socket = connect(port, '127.0.0.1', () =>
    socket.write('GET /fn/ns/f HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
  );
  await until(() => target.sockets.size === 1);
  socket.destroy();
  await until(() => target.sockets.size === 0);
  await until(() => [...proxy.stats().routes()][0]?.inFlight === 0);
});
