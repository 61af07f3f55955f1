import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Endpoint } from './endpoint.ts';
import { createReadBuffers } from './read-buffers.ts';

/** A pod at a port where nothing listens until `listen` is called, and a clock that stands. */
async function absentPod() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  const clock = { time: 1_000_000 };
  const endpoint = new Endpoint(
    { id: 'a', address: '127.0.0.1', port },
    { connectTimeoutMs: 2000, idleTimeoutMs: 30_000, now: () => clock.time, buffers: createReadBuffers() },
  );
  /** Begins a connect; true when it came about. */
  const connect = (): Promise<boolean> =>
    new Promise((resolve) => {
      const connection = endpoint.connect({
        opened: () => {
          connection.destroy();
          resolve(true);
        },
        unreached: () => resolve(false),
      });
    });
  /** Milliseconds for which it is avoided from now on. */
  const avoidedFor = (): number => {
    let milliseconds = 0;
    while (endpoint.avoided(clock.time + milliseconds)) milliseconds += 100;
    return milliseconds;
  };
  const listen = async (): Promise<void> => {
    const server = createServer((socket) => socket.on('error', () => {})).listen(port, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
  };
  return { clock, endpoint, connect, avoidedFor, listen };
}

test('connects that fail together count once', async () => {
  const { connect, avoidedFor } = await absentPod();
  expect(await Promise.all(Array.from({ length: 6 }, connect))).toEqual(Array(6).fill(false));
  expect(avoidedFor()).toBe(1000);
});

test('connects that fail while it is avoided, since there is no other pod, count for nothing', async () => {
  const { connect, avoidedFor } = await absentPod();
  for (let i = 0; i < 6; i += 1) await connect();
  expect(avoidedFor()).toBe(1000);
});

test('each trial that fails doubles the time, half a minute at most', async () => {
  const { clock, connect, avoidedFor } = await absentPod();
  const times: number[] = [];
  for (let i = 0; i < 7; i += 1) {
    await connect();
    times.push(avoidedFor());
    clock.time += avoidedFor();
  }
  expect(times).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
});

test('to ask is free: the trial is spent by the connect, and while it is under way others wait', async () => {
  const { clock, endpoint, connect } = await absentPod();
  await connect();
  clock.time += 1000;
  expect([endpoint.avoided(clock.time), endpoint.avoided(clock.time)]).toEqual([false, false]);
  const trial = connect();
  expect(endpoint.avoided(clock.time)).toBe(true);
  await trial;
});

test('a trial that comes about ends it', async () => {
  const { clock, connect, avoidedFor, listen } = await absentPod();
  await connect();
  await listen();
  clock.time += 1000;
  expect(await connect()).toBe(true);
  expect(avoidedFor()).toBe(0);
});

test('whoever leaves before its connect is decided says nothing about the pod', async () => {
  const { endpoint, avoidedFor } = await absentPod();
  await new Promise<void>((resolve) => {
    endpoint.connect({ opened: () => resolve(), unreached: () => resolve() }).destroy();
  });
  expect(avoidedFor()).toBe(0);
});
