import { connect } from 'node:net';
import { expect, test } from 'vitest';
import type { ProxyOptions } from '../../src/gateway/proxy/options.ts';
import { slice } from './objects.ts';
import { pod, rawPod, stage, until } from './stage.ts';

/** Reproducible: the same seed does the same things in the same order. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
}

const REQUESTS = [
  'GET /fn/ns/f/plain HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /fn/ns/f/large HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /fn/ns/f/drip HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /fn/ns/f/break HTTP/1.1\r\nHost: x\r\n\r\n',
  'HEAD /fn/ns/f/large HTTP/1.1\r\nHost: x\r\n\r\n',
  `POST /fn/ns/f/plain HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n${'x'.repeat(300_000)}`,
  `POST /fn/ns/f/large HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${`fff\r\n${'y'.repeat(4095)}\r\n`.repeat(40)}0\r\n\r\n`,
  'POST /fn/ns/f/plain HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  'GET /fn/ns/f HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nabc',
  'GET /fn/ns/f/plain HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(5),
  'GET /fn/ns/none HTTP/1.1\r\nHost: x\r\n\r\n',
  'rubbish\r\n\r\n',
];

/** Sends pieces of a request, with pauses, and leaves at some point, by FIN, by reset or at the end. */
function visit(port: number, roll: (sides: number) => number): Promise<void> {
  return new Promise((resolve) => {
    const text = REQUESTS[roll(REQUESTS.length)]!;
    const cut = roll(2) === 0 ? text.length : roll(text.length);
    const leaveAfter = roll(3) === 0 ? 300 : roll(40);
    const socket = connect(port, '127.0.0.1', () => {
      const half = roll(cut + 1);
      socket.write(text.slice(0, half));
      setTimeout(() => socket.write(text.slice(half, cut)), roll(5));
      setTimeout(() => (roll(2) === 0 ? socket.end() : socket.resetAndDestroy()), leaveAfter);
      setTimeout(() => socket.destroy(), 400);
    });
    if (roll(3) > 0) socket.resume();
    socket.on('error', () => {});
    socket.on('close', () => resolve());
  });
}

test('callers and pods that come and go in every way leave nothing behind', async () => {
  const options: ProxyOptions = { maxInFlightPerFunction: 60, connectTimeoutMs: 200, bodyIdleMs: 200 };
  const { cluster, port, url, proxy, serve } = await stage(options);
  const roll = dice(20_261_130);
  const good = await pod((request, response) => {
    request.on('error', () => {});
    request.resume();
    if (request.url === '/large') response.end(Buffer.alloc(1_000_000, 'z'));
    else if (request.url === '/break') request.socket.destroy();
    else if (request.url === '/drip') {
      const timer = setInterval(() => response.write('.'), 10);
      response.on('close', () => clearInterval(timer));
    } else request.on('end', () => response.end('ok'));
  });
  good.server.on('upgrade', (_, socket) => {
    socket.on('error', () => {});
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\n\r\n');
    socket.pipe(socket);
  });
  const mad = await rawPod((socket) => {
    socket.on('data', () => {
      if (roll(4) > 0) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      else if (roll(2) === 0) socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel');
      else socket.destroy();
    });
    socket.on('end', () => socket.end());
  });
  const dead = await pod(() => {});
  dead.server.close();
  serve('ns', 'f', [good.port, mad.port, dead.port], { timeoutSeconds: 1 });
  const madSlice = slice('ns', 'f', [{ port: mad.port }]);
  let visits = 0;
  const lane = async (): Promise<void> => {
    while (visits < 600) {
      visits += 1;
      await visit(port, roll);
      if (roll(20) === 0) cluster.remove(madSlice);
      if (roll(20) === 0) cluster.apply(madSlice);
      if (roll(60) === 0) cluster.resync();
    }
  };
  await Promise.all(Array.from({ length: 40 }, lane));
  cluster.remove(madSlice);
  const inFlight = (): number => [...proxy.stats().routes()].reduce((sum, route) => sum + route.inFlight, 0);
  await until(() => inFlight() === 0);
  for (let i = 0; i < 20; i += 1) {
    const answer = await fetch(`${url}/fn/ns/f/plain`, { method: 'POST', body: 'x' });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe('ok');
  }
  await until(() => mad.sockets.size === 0);
}, 60_000);
