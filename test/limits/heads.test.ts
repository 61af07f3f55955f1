import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { pod, stage } from '../proxy/stage.ts';

/** Connections that send so many bytes every 20 ms, for ever. `ended` counts those that were ended. */
async function drip(port: number, count: number, piece: string) {
  const sockets: Socket[] = [];
  const state = { ended: 0, heard: new Set<string>() };
  await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect({ port, host: '127.0.0.1' });
      sockets.push(socket);
      socket.on('error', () => {}).once('close', () => (state.ended += 1));
      socket.on('data', (answer) => state.heard.add(answer.toString('latin1').slice(0, 12)));
      await once(socket, 'connect');
      socket.write('GET /fn/ns/f HTTP/1.1\r\nHost: x\r\n');
    }),
  );
  const timer = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write(piece);
  }, 20);
  onTestFinished(() => {
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
  });
  return state;
}

async function serve() {
  const { port } = await pod((request, response) => request.resume().on('end', () => response.end('ok')));
  const set = await stage();
  set.serve('ns', 'f', [port]);
  return set;
}

const ask = async (url: string): Promise<number> => {
  const answer = await fetch(`${url}/fn/ns/f`, { method: 'POST', body: 'x' });
  await answer.text();
  return answer.status;
};

test('hundreds of heads that drip hold nobody up', async () => {
  const { url, port } = await serve();
  await drip(port, 300, 'X-Drip: 1\r\n');
  const began = performance.now();
  for (let i = 0; i < 50; i += 1) expect(await ask(url)).toBe(200);
  expect(performance.now() - began).toBeLessThan(10_000);
});

test('hundreds of heads without an end are 431 at 16 KiB, take no more memory, and hold nobody up', async () => {
  const { url, port } = await serve();
  const before = process.memoryUsage().rss;
  const { heard } = await drip(port, 200, `X-Much: ${'x'.repeat(4000)}\r\n`);
  for (let i = 0; i < 50; i += 1) expect(await ask(url)).toBe(200);
  await expect.poll(() => [...heard], { timeout: 10_000 }).toEqual(['HTTP/1.1 431']);
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
});
