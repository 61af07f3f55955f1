import { expect, onTestFinished, test } from 'vitest';
import { createAmqpBus } from '../../src/adapters/amqp/bus.ts';
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
