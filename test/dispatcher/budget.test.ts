import { expect, onTestFinished, test } from 'vitest';
import { createAmqpBus } from '../../src/adapters/amqp/bus.ts';
import type { Delivery } from '../../src/ports/message-bus.ts';
import { openBroker, withoutBroker } from '../rabbitmq/broker.ts';
import { until } from './stage.ts';

const KIB = 1024;

test.skipIf(withoutBroker !== undefined)(
  'large messages are taken by their bytes, small ones by the prefetch, and all of them in the end',
  async () => {
    const broker = await openBroker();
    const budget = { used: 0, limit: 4096 * KIB, limitOfOne: 1024 * KIB };
    const bus = createAmqpBus({ budget });
    onTestFinished(async () => {
      await bus.close();
      await broker.close();
    });
    const open = async (queue: string, size: number, count: number) => {
      await broker.channel.assertQueue(queue, { durable: true });
      const hand: Delivery[] = [];
      const address = { id: 'ns', url: async () => broker.url() };
      const names = { owner: `ns.${queue}`, queue, deadLetterQueue: 'dead', broker: address };
      bus.consume(
        { ...names, prefetch: 500 },
        { delivered: (delivery) => void hand.push(delivery), changed: () => {} },
      );
      for (let index = 0; index < count; index += 1) broker.channel.sendToQueue(queue, Buffer.alloc(size));
      return hand;
    };
    const small = await open('small', 10, 600);
    await until(() => expect(small.length).toBeGreaterThanOrEqual(500));
    const large = await open('large', 100 * KIB, 400);
    let [done, most] = [0, 0];
    await until(() => {
      most = Math.max(most, large.length);
      for (const delivery of large.splice(0, 5)) {
        delivery.ack();
        done += 1;
      }
      expect(done).toBe(400);
    });
    expect(most).toBeLessThan(70);
    for (const delivery of small) delivery.ack();
    await until(() => expect(small.length).toBe(600));
  },
  40_000,
);
