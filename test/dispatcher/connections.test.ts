import { expect, onTestFinished, test } from 'vitest';
import { createAmqpBus } from '../../src/adapters/amqp/bus.ts';
import { isSlessError, SlessError } from '../../src/errors.ts';
import type { Delivery } from '../../src/ports/message-bus.ts';
import { startRelay } from '../network/relay.ts';
import { BROKER, openBroker, withoutBroker } from '../rabbitmq/broker.ts';
import { until } from './stage.ts';

test.skipIf(withoutBroker !== undefined)(
  'consumers are spread over connections, and the last one that leaves closes its own',
  async () => {
    const broker = await openBroker();
    const relay = await startRelay(BROKER);
    const bus = createAmqpBus({ consumersPerConnection: 4 });
    onTestFinished(async () => {
      await bus.close();
      await relay.close();
      await broker.close();
    });
    const connected = new Set<number>();
    const consumers = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        await broker.channel.assertQueue(`q${index}`, { durable: true });
        return bus.consume(
          {
            owner: `ns.t${index}`,
            broker: { id: '', url: async () => broker.url(relay) },
            queue: `q${index}`,
            deadLetterQueue: 'dead',
            prefetch: 1,
          },
          { delivered: (delivery) => delivery.ack(), changed: () => void connected.add(index) },
        );
      }),
    );
    await until(() => expect(connected.size).toBe(10));
    expect(relay.open()).toBe(3);
    for (const consumer of consumers.slice(0, 4)) await consumer.close();
    await until(() => expect(relay.open()).toBe(2));
  },
);

test.skipIf(withoutBroker !== undefined)(
  'copies go out on a connection that consumes nothing, opened for the first of them',
  async () => {
    const broker = await openBroker();
    const relay = await startRelay(BROKER);
    const bus = createAmqpBus();
    onTestFinished(async () => {
      await bus.close();
      await relay.close();
      await broker.close();
    });
    await broker.channel.assertQueue('q', { durable: true });
    const tries: Delivery[] = [];
    const consumer = bus.consume(
      {
        owner: 'ns.t',
        broker: { id: 'ns', url: async () => broker.url(relay) },
        queue: 'q',
        deadLetterQueue: 'dead',
        prefetch: 1,
      },
      { delivered: (delivery) => void tries.push(delivery), changed: () => {} },
    );
    broker.channel.sendToQueue('q', Buffer.from('a'));
    await until(() => expect(tries.length).toBe(1));
    expect(relay.open()).toBe(1);
    await tries[0]?.retry(10);
    expect(relay.open()).toBe(2);
    await until(() => expect(tries.length).toBe(2));
    await tries[1]?.deadLetter({});
    expect((await broker.drain('dead')).map(({ body }) => body)).toEqual(['a']);
    await consumer.close();
    await until(() => expect(relay.open()).toBe(0));
  },
);

test.skipIf(withoutBroker !== undefined)(
  'a broker that allows few channels on a connection gets more connections, and one that allows too few is named',
  async () => {
    const broker = await openBroker();
    const relay = await startRelay(BROKER);
    const bus = createAmqpBus();
    onTestFinished(async () => {
      await bus.close();
      await relay.close();
      await broker.close();
    });
    const done = new Map<string, number>();
    const problems = new Map<string, unknown>();
    const states = new Map<string, boolean>();
    const consume = (queue: string, channels: number): void => {
      bus.consume(
        {
          owner: `ns.${queue}`,
          broker: { id: `${channels}`, url: async () => `${broker.url(relay)}?channelMax=${channels}` },
          queue,
          deadLetterQueue: `dead.${queue}`,
          prefetch: 4,
        },
        {
          async delivered(delivery) {
            if (delivery.attempts > 0) await delivery.deadLetter({});
            else {
              // Each length of a delay is a queue of its own, declared over a channel of its own.
              const delay = 10 + Number(Buffer.from(delivery.body).toString());
              await delivery.retry(delay).catch((error) => problems.set(queue, error));
            }
            done.set(queue, (done.get(queue) ?? 0) + 1);
          },
          changed(state) {
            states.set(queue, state.connected);
            problems.set(queue, state.problem);
          },
        },
      );
    };
    const queues = Array.from({ length: 20 }, (_, index) => `q${index}`);
    for (const queue of queues) {
      await broker.channel.assertQueue(queue, { durable: true });
      for (const body of '0123') broker.channel.sendToQueue(queue, Buffer.from(body));
      consume(queue, 16);
    }
    await until(() => expect([...states.values()].filter(Boolean).length).toBe(20));
    await until(() => expect([...done.values()]).toEqual(queues.map(() => 8)));
    await broker.channel.assertQueue('alone', { durable: true });
    broker.channel.sendToQueue('alone', Buffer.from('0'));
    consume('alone', 1);
    await until(() =>
      expect(problems.get('alone')).toMatchObject({
        code: 'BrokerRefused',
        message: 'the broker allows too few channels on a connection',
      }),
    );
  },
);

test.skipIf(withoutBroker !== undefined)(
  'an address that is taken away ends its connection; one that only cannot be looked up keeps it',
  async () => {
    const broker = await openBroker();
    const relay = await startRelay(BROKER);
    const bus = createAmqpBus();
    onTestFinished(async () => {
      await bus.close();
      await relay.close();
      await broker.close();
    });
    await broker.channel.assertQueue('q', { durable: true });
    const told = { taken: [] as unknown[], unsure: [] as unknown[] };
    const looks = { taken: 0, unsure: 0 };
    let refusal: SlessError | undefined;
    const consume = (name: 'taken' | 'unsure', code: 'BrokerSecretInvalid' | 'Unavailable') =>
      bus.consume(
        {
          owner: `ns.${name}`,
          broker: {
            id: name,
            async url() {
              looks[name] += 1;
              if (refusal !== undefined) throw new SlessError(code, 'no address');
              return broker.url(relay);
            },
          },
          queue: 'q',
          deadLetterQueue: 'dead',
          prefetch: 1,
        },
        {
          delivered: (delivery) => delivery.ack(),
          changed: ({ connected, problem }) =>
            void told[name].push(connected || (isSlessError(problem) && problem.code)),
        },
      );
    consume('taken', 'BrokerSecretInvalid');
    consume('unsure', 'Unavailable');
    await until(() => expect(told).toEqual({ taken: [true], unsure: [true] }));
    refusal = new SlessError('BrokerSecretInvalid', 'no address');
    await until(() => expect(Math.min(looks.taken, looks.unsure)).toBeGreaterThan(2), 40_000);
    expect(new Set(told.taken)).toEqual(new Set([true, 'BrokerSecretInvalid']));
    expect(told.unsure).toEqual([true]);
    await until(() => expect(relay.open()).toBe(1));
    refusal = undefined;
    await until(() => expect(told.taken.at(-1)).toBe(true));
    expect(relay.open()).toBe(2);
  },
  80_000,
);

test.skipIf(withoutBroker !== undefined)(
  'a virtual host that takes no more connections is said to be full, and used once it takes them',
  async () => {
    const broker = await openBroker();
    const bus = createAmqpBus();
    onTestFinished(async () => {
      await bus.close();
      await broker.close();
    });
    const limit = (most: number) =>
      broker.rabbitmqctl('set_vhost_limits', '-p', broker.vhost, JSON.stringify({ 'max-connections': most }));
    await limit(1);
    await broker.channel.assertQueue('q', { durable: true });
    const told: unknown[] = [];
    bus.consume(
      {
        owner: 'ns.t',
        broker: { id: '', url: async () => broker.url() },
        queue: 'q',
        deadLetterQueue: 'dead',
        prefetch: 1,
      },
      { delivered: (delivery) => delivery.ack(), changed: (state) => void told.push(state) },
    );
    await until(() =>
      expect(told.at(-1)).toMatchObject({
        connected: false,
        problem: {
          code: 'BrokerRefused',
          message: expect.stringMatching(/as many connections as it may$/),
        },
      }),
    );
    await limit(10);
    await until(() => expect(told.at(-1)).toEqual({ connected: true }));
  },
);
