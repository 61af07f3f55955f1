import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Copies, createCopies } from '../../src/adapters/amqp/copies.ts';
import { type Broker, openBroker, withoutBroker } from '../rabbitmq/broker.ts';
import { openStage, until } from './stage.ts';

const MINUTE = 60_000;

describe.skipIf(withoutBroker !== undefined)('copies, on RabbitMQ', () => {
  let broker: Broker;
  beforeEach(async () => {
    broker = await openBroker();
  });
  afterEach(() => broker.close());

  test('one that was confirmed only when its delay queue may be gone does not count', async () => {
    let now = 0;
    let isHeld = true;
    const publisher = await broker.model.createConfirmChannel();
    const copies: Copies = createCopies({
      model: broker.model,
      owner: 'ns.orders',
      deadLetterQueue: 'dead',
      now: () => now,
      outlet: {
        publish: async (queue, content, options) => {
          publisher.sendToQueue(queue, content, options);
          await publisher.waitForConfirms();
          if (!isHeld) return true;
          // A connection that was blocked for so long; and right after the confirm the queue goes, as nobody has used it.
          now += 10 * MINUTE;
          await broker.channel.deleteQueue(queue);
          return true;
        },
      },
    });
    await broker.channel.assertQueue('sless.retry.ns.orders', { durable: true });
    const put = () => copies.delay(100, Buffer.from('m'), { persistent: true });
    await expect(put()).rejects.toMatchObject({ code: 'BrokerBlocked' });
    isHeld = false;
    await put();
    await until(async () =>
      expect((await broker.channel.checkQueue('sless.retry.ns.orders')).messageCount).toBe(1),
    );
  });

  test('they lie in quorum queues where these are what the virtual host makes', async () => {
    const { place, rabbitmqctl } = broker;
    const quorum = await openBroker({
      place,
      ctl: (...words) =>
        rabbitmqctl(...words, ...(words[0] === 'add_vhost' ? ['--default-queue-type', 'quorum'] : [])),
    });
    const stage = await openStage({ on: quorum });
    try {
      await stage.declare('orders');
      stage.serve({ maxAttempts: 3 });
      stage.pod.handle = ({ body, message }) => (`${body}` === 'a' && message.attempt === 3 ? 200 : 500);
      await stage.publish('orders', ['a', 'b']);
      await until(() =>
        expect(stage.dispatcher.stats()[0]).toMatchObject({ done: 1, retried: 4, deadLettered: 1 }),
      );
      const lines = await broker.rabbitmqctl('list_queues', '-p', quorum.vhost, 'name', 'type');
      const types = lines.split('\n').filter((line) => line.startsWith('sless.'));
      expect(types.length).toBeGreaterThan(3);
      expect(types.every((line) => line.endsWith('\tquorum'))).toBe(true);
    } finally {
      await stage.close();
      await quorum.close();
    }
  });
});
