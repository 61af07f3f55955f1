import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Budget } from '../../src/adapters/amqp/budget.ts';
import { createAmqpBus } from '../../src/adapters/amqp/bus.ts';
import type { BusConsumer, Delivery, MessageBus } from '../../src/ports/message-bus.ts';
import { type Broker, openBroker, withoutBroker } from '../rabbitmq/broker.ts';
import { until } from './stage.ts';

const KIB = 1024;

interface Hand {
  /** In hand and not ended. */
  readonly all: Delivery[];
  /** Bytes of them at most, ever. */
  most: number;
  lost: number;
  readonly consumer: BusConsumer;
}

describe.skipIf(withoutBroker !== undefined)('messages in hand, by their bytes, on RabbitMQ', () => {
  let broker: Broker;
  let bus: MessageBus;
  let budget: Budget;
  beforeEach(async () => {
    broker = await openBroker();
    budget = new Budget({ limit: 4096 * KIB, limitOfOne: 1024 * KIB });
    bus = createAmqpBus({ budget });
  });
  afterEach(async () => {
    await bus.close();
    await broker.close();
  });

  const bytesOf = (all: readonly Delivery[]): number => all.reduce((sum, { body }) => sum + body.length, 0);
  const fill = async (queue: string, size: number, count: number): Promise<void> => {
    await broker.channel.assertQueue(queue, { durable: true });
    for (let index = 0; index < count; index += 1) broker.channel.sendToQueue(queue, Buffer.alloc(size));
    await until(async () => expect((await broker.channel.checkQueue(queue)).messageCount).toBe(count));
  };
  const consume = (queue: string, { namespace = 'ns', prefetch = 500 } = {}): Hand => {
    const all: Delivery[] = [];
    const address = { id: namespace, url: async () => broker.url() };
    const names = { owner: `${namespace}.${queue}`, queue, deadLetterQueue: 'dead', broker: address };
    const consumer = bus.consume(
      { ...names, prefetch },
      {
        delivered(delivery) {
          all.push(delivery);
          hand.most = Math.max(hand.most, bytesOf(all));
        },
        changed: () => {},
        lost: () => {
          hand.lost += 1;
        },
      },
    );
    const hand: Hand = { all, most: 0, lost: 0, consumer };
    return hand;
  };
  const open = async (queue: string, size: number, count: number): Promise<Hand> => {
    await fill(queue, size, count);
    return consume(queue);
  };
  /** Ends so many at a time until all are done. */
  const finish = async (hands: readonly Hand[], count: number, look = () => {}): Promise<void> => {
    let done = 0;
    await until(() => {
      look();
      for (const { all } of hands)
        for (const delivery of all.splice(0, 5)) {
          delivery.ack();
          done += 1;
        }
      expect(done).toBe(count);
    }, 30_000);
  };

  test('large ones are taken by their bytes, small ones by the prefetch, and all of them in the end', async () => {
    const small = await open('small', 10, 600);
    await until(() => expect(small.all.length).toBeGreaterThanOrEqual(500));
    const large = await open('large', 100 * KIB, 400);
    await finish([large], 400);
    expect(large.most).toBeLessThanOrEqual(1200 * KIB);
    for (const delivery of small.all) delivery.ack();
    await until(() => expect(small.all.length).toBe(600));
  }, 40_000);

  test('a queue of large ones is taken in a small window from the first one on', async () => {
    const large = await open('large', 400 * KIB, 40);
    await finish([large], 40);
    expect(large.most).toBeLessThanOrEqual(1600 * KIB);
  }, 40_000);

  test('many consumers, one large message each: no more is in hand than all may hold, and everyone has a turn', async () => {
    const queues = Array.from({ length: 40 }, (_, index) => `q${index}`);
    for (const queue of queues) await fill(queue, 400 * KIB, 1);
    const hands = queues.map((queue) => consume(queue, { prefetch: 1 }));
    let most = 0;
    const look = () => {
      most = Math.max(most, bytesOf(hands.flatMap(({ all }) => all)));
    };
    await until(() => {
      look();
      expect(most).toBeGreaterThan(1600 * KIB);
    });
    await finish(hands, 40, look);
    // Half of all, since they are of one namespace.
    expect(most).toBeLessThanOrEqual(2048 * KIB);
    await until(() => expect(budget.used).toBe(0));
  }, 60_000);

  test('a namespace whose functions end nothing keeps no other one from its messages', async () => {
    const greedy: Hand[] = [];
    for (const queue of ['a', 'b', 'c', 'd', 'e', 'f']) greedy.push(await open(queue, 200 * KIB, 20));
    await until(() => expect(bytesOf(greedy.flatMap(({ all }) => all))).toBeGreaterThan(1400 * KIB));
    await fill('other', 200 * KIB, 60);
    const other = consume('other', { namespace: 'other' });
    await finish([other], 60);
  }, 40_000);

  test('what is lost with its connection counts until it is ended, for its body is still there', async () => {
    const hand = await open('large', 400 * KIB, 10);
    await until(() => expect(hand.all.length).toBeGreaterThan(1));
    const [connection] = (await broker.rabbitmqctl('list_connections', 'pid', 'vhost', 'client_properties'))
      .split('\n')
      .filter((line) => line.includes(broker.vhost) && line.includes('sless ns'));
    await broker.rabbitmqctl('close_connection', connection?.split('\t')[0] ?? '', 'by a test');
    await until(() => expect(hand.lost).toBe(1));
    const before = [...hand.all];
    expect(before.every(({ lost }) => lost)).toBe(true);
    expect(budget.used).toBeGreaterThanOrEqual(bytesOf(before));
    for (const delivery of hand.all.splice(0)) delivery.release();
    await until(() => expect(hand.all.length).toBeGreaterThan(1));
    await finish([hand], 10);
    await until(() => expect(budget.used).toBe(0));
  }, 40_000);
});
