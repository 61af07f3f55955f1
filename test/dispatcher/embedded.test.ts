import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createEmbeddedBus } from '../../src/adapters/embedded-bus.ts';
import { createPodInvoker } from '../../src/adapters/pod-invoker.ts';
import { createDispatcher } from '../../src/dispatcher/dispatcher.ts';
import { SlessError } from '../../src/errors.ts';
import { silentLogger } from '../contracts/silent-logger.ts';
import { createFakeCluster } from '../proxy/fake-cluster.ts';
import { fn, slice } from '../proxy/objects.ts';
import { configMapOf, consumerOf, NAMESPACE, namespaceOf, triggerOf } from './objects.ts';
import { startPod, text } from './pod.ts';
import { until } from './stage.ts';

/** The same dispatcher where there is no broker at all: what every machine can try. */
async function open() {
  const folder = await mkdtemp(join(tmpdir(), 'sless-events-'));
  const bus = createEmbeddedBus({ path: join(folder, 'bus.db'), now: Date.now });
  const pod = await startPod();
  const cluster = createFakeCluster();
  const clocks = { clock: Date, monotonic: performance, random: Math.random };
  const { invoker, pods, close } = createPodInvoker(clocks);
  const noConfigMap = new SlessError('NotFound', 'no ConfigMap');
  const dispatcher = createDispatcher(
    {
      ...clocks,
      bus,
      invoker,
      pods,
      cluster: { ...cluster, get: async () => undefined, patch: () => Promise.reject(noConfigMap) },
      newId: randomUUID,
      logger: silentLogger,
    },
    { queueTemplate: '{queue}', allowedHosts: [], drainMs: 2000, delays: { firstMs: 20, maxMs: 100 } },
  );
  const consumer = consumerOf({ maxAttempts: 3 });
  cluster.apply(
    namespaceOf(NAMESPACE),
    fn(NAMESPACE, 'hello'),
    slice(NAMESPACE, 'hello', [{ port: pod.port }]),
    triggerOf(consumer),
    configMapOf(consumer),
  );
  onTestFinished(async () => {
    await dispatcher.close();
    await bus.close();
    close();
    await pod.close();
    await rm(folder, { recursive: true });
  });
  const letters: { body: string; headers: Readonly<Record<string, unknown>> }[] = [];
  bus.consume(
    {
      owner: 'test',
      broker: { id: '', url: async () => '' },
      queue: 'sless.dead.team.orders',
      deadLetterQueue: '',
      prefetch: 1,
    },
    {
      delivered: (delivery) => {
        letters.push({ body: Buffer.from(delivery.body).toString(), headers: delivery.properties.headers });
        delivery.ack();
      },
      changed: () => {},
    },
  );
  return { bus, pod, dispatcher, letters };
}

test('a message is tried again, later each time, and what cannot be dealt with is a dead letter', async () => {
  const { bus, pod, letters } = await open();
  pod.handle = (call) => {
    if (text(call) === 'bad') return 500;
    return call.message.attempt === 1 ? 503 : 200;
  };
  await bus.publish('orders', { body: Buffer.from('bad') });
  await bus.publish('orders', { body: Buffer.from('good') });
  await until(() => expect(letters.length).toBe(1));
  expect(letters[0]).toMatchObject({
    body: 'bad',
    headers: { 'x-sless-reason': 'FunctionError', 'x-sless-attempts': 3, 'x-sless-queue': 'orders' },
  });
  const tries = pod.calls.map((call) => `${text(call)} ${call.message.attempt}`).sort();
  expect(tries).toEqual(['bad 1', 'bad 2', 'bad 3', 'good 1', 'good 2']);
});

test('200 KB of headers are more than a function takes: a dead letter that says so, and the consumer lives', async () => {
  const { bus, pod, letters } = await open();
  await bus.publish('orders', {
    body: Buffer.from('big'),
    properties: { headers: { big: 'x'.repeat(200_000) } },
  });
  await bus.publish('orders', { body: Buffer.from('after') });
  await until(() => expect([letters.length, pod.calls.length]).toEqual([1, 1]));
  expect(letters[0]?.headers).toMatchObject({
    'x-sless-reason': 'HeadersTooLarge',
    'x-sless-detail': expect.stringMatching(/bytes encoded, and functions take 49152$/),
  });
  expect(pod.calls.map(text)).toEqual(['after']);
});
