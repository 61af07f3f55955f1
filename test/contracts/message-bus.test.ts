import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { createAmqpBus } from '../../src/adapters/amqp/bus.ts';
import { createEmbeddedBus } from '../../src/adapters/embedded-bus.ts';
import type { MessageBus } from '../../src/ports/message-bus.ts';
import { startRelay } from '../network/relay.ts';
import { BROKER, type Broker, openBroker, withoutBroker } from '../rabbitmq/broker.ts';
import { type Found, messageBusContract } from './message-bus.ts';

messageBusContract('embedded', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sless-bus-'));
  const open = (run: number) =>
    createEmbeddedBus({ path: join(folder, String(run), 'bus.db'), now: Date.now });
  const buses = [open(0)];
  const current = () => buses.at(-1) as ReturnType<typeof open>;
  return {
    get bus() {
      return current();
    },
    declare: async () => {},
    publish: (queue, body, properties) =>
      current().publish(queue, { body: Buffer.from(body), ...(properties && { properties }) }),
    drain: async (queue) => {
      const found: Found[] = [];
      const consumer = current().consume(
        { owner: 'drain', broker: { id: '', url: async () => '' }, queue, deadLetterQueue: '', prefetch: 1 },
        {
          delivered: (delivery) => {
            found.push({ body: Buffer.from(delivery.body).toString(), headers: delivery.properties.headers });
            delivery.ack();
          },
          changed: () => {},
        },
      );
      let seen = -1;
      while (seen !== found.length) {
        seen = found.length;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      await consumer.close();
      return found;
    },
    // What a killed process leaves is its files as they lie.
    restart: async () => {
      await cp(join(folder, '0'), join(folder, '1'), { recursive: true });
      buses.push(open(1));
      return current();
    },
    close: async () => {
      for (const bus of buses) await bus.close();
      await rm(folder, { recursive: true });
    },
  };
});

/** One virtual host for all: to make one takes the broker's command line seconds. */
let broker: Promise<Broker> | undefined;
const shared = (): Promise<Broker> => {
  broker ??= openBroker();
  return broker;
};
afterAll(async () => (await broker)?.close());

messageBusContract(
  'amqp, RabbitMQ',
  async () => {
    const broker = await shared();
    const relay = await startRelay(BROKER);
    const buses: MessageBus[] = [createAmqpBus()];
    const publisher = await broker.model.createConfirmChannel();
    return {
      bus: buses[0] as MessageBus,
      broker: { id: 'test', url: async () => broker.url(relay) },
      declare: async (queue) =>
        void (await broker.channel.assertQueue(queue, { durable: true, maxPriority: 5 })),
      publish: async (queue, body, properties = {}) => {
        const { deliveryMode: _, headers, ...options } = properties;
        publisher.sendToQueue(queue, Buffer.from(body), { ...options, ...(headers && { headers }) });
        await publisher.waitForConfirms();
      },
      drain: (queue) => broker.drain(queue),
      // As a broker sees the end of a process: its connections break, and nothing comes from it any more.
      restart: async () => {
        const next = createAmqpBus();
        const closing = (buses[0] as MessageBus).close();
        relay.cut();
        await closing;
        buses.push(next);
        return next;
      },
      close: async () => {
        await Promise.all(buses.map((bus) => bus.close()));
        await relay.close();
        await publisher.close();
        for (const queue of ['q', 'dead', 'sless.retry.ns.t', 'sless.retry.ns.other', 'sless.parked.ns.t'])
          await broker.channel.deleteQueue(queue);
      },
    };
  },
  withoutBroker,
);
