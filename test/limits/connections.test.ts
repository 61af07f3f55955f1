import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPeers } from '../../src/gateway/caller/peers.ts';
import { boundConnections } from '../../src/gateway/entrance/connections.ts';
import { receive, SERVER_OPTIONS } from '../../src/gateway/entrance/server.ts';

let server: Server;
let sockets: Socket[];
beforeEach(() => {
  sockets = [];
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.closeAllConnections();
  server.close();
});

async function serve(total: number, trusted: readonly string[] = []): Promise<void> {
  server = createServer(SERVER_OPTIONS);
  boundConnections(server, { total, peerOf: createPeers(trusted).peerOf });
  receive(server, { request: (_, response) => void response.end('ok') });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

const held = (): Promise<number> =>
  new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
  );

const holding = (count: number) => vi.waitFor(async () => expect(await held()).toBe(count), 10_000);

/** Connections that send this and then nothing more. */
async function open(count: number, bytes: string, localAddress = '127.0.0.1'): Promise<void> {
  const { port } = server.address() as AddressInfo;
  await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      sockets.push(socket);
      socket.on('error', () => {}).resume();
      await once(socket, 'connect');
      socket.write(bytes);
    }),
  );
}

/** What one more caller hears; nothing where its connection is closed. */
async function ask(localAddress: string): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => {}).write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  let text = '';
  for await (const piece of socket) text += piece;
  return text.slice(0, 12);
}

test.each([
  ['say nothing', ''],
  ['stop within a head', 'GET / HTTP/1.1\r\nHost: x\r\nX-Half'],
  ['wait for a further request', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
])('an address whose connections %s has half of them, and others are served', async (_, bytes) => {
  await serve(200);
  await open(500, bytes);
  await holding(100);
  for (let i = 0; i < 20; i += 1) expect(await ask('127.0.0.2')).toBe('HTTP/1.1 200');
  expect(await ask('127.0.0.1').catch(() => '')).toBe('');
  for (const socket of sockets) socket.destroy();
  await holding(0);
  expect(await ask('127.0.0.1')).toBe('HTTP/1.1 200');
});

test('when all are taken, those that wait for a further request give way to whoever asks something', async () => {
  await serve(20);
  await open(10, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await open(10, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', '127.0.0.2');
  await holding(20);
  await vi.waitFor(async () => expect(await ask('127.0.0.3').catch(() => '')).toBe('HTTP/1.1 200'));
});

test('a proxy that is trusted brings many callers, and has all of them', async () => {
  await serve(50, ['127.0.0.1']);
  await open(45, '');
  await holding(45);
  expect(await ask('127.0.0.1')).toBe('HTTP/1.1 200');
});
