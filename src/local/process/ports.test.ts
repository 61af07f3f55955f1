import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { createPorts } from './ports.ts';

test('never gives out a port twice until it is given back', async () => {
  const ports = createPorts();
  const taken = await Promise.all(Array.from({ length: 50 }, () => ports.take()));
  expect(new Set(taken).size).toBe(50);
});

test('passes over what others listen on', async () => {
  const first = await createPorts(0.5).take();
  const server = createServer().listen(first, '127.0.0.1');
  await once(server, 'listening');
  expect(await createPorts(0.5).take()).toBeGreaterThan(first);
  server.close();
});

test('goes round to the first port after the last', async () => {
  const ports = createPorts(0.99999);
  const found = [await ports.take(), await ports.take(), await ports.take()];
  expect(Math.min(...found)).toBeLessThan(20_100);
});
