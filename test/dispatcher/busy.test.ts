import { describe, expect, test } from 'vitest';
import { createAmqpBus } from '../../src/adapters/amqp/bus.ts';
import type { Delivery } from '../../src/ports/message-bus.ts';
import { withoutBroker } from '../rabbitmq/broker.ts';
import { text } from './pod.ts';
import { until } from './stage.ts';
import { stagesOnBroker } from './stages.ts';

describe.skipIf(withoutBroker !== undefined)('a function that is busy, on RabbitMQ', () => {
  const on = stagesOnBroker({ holdMs: 300 });
  const { served: serve, empty } = on;

  test('429 of the runtime is no attempt: fewer calls at once, and every message gets through', async () => {
    const { name, dead } = await serve({ prefetch: 20, maxAttempts: 1 });
    on.stage.pod.handle = async () => {
      if (on.stage.pod.running.now > 2) return 'busy';
      await new Promise((resolve) => setTimeout(resolve, 5));
      return 200;
    };
    await on.stage.publish(
      name,
      Array.from({ length: 60 }, (_, index) => `${index}`),
    );
    await until(() => expect(on.stage.dispatcher.stats()[0]?.done).toBe(60));
    expect(on.stage.dispatcher.stats()[0]?.refused).toBeLessThan(200);
    expect(await on.broker.drain(dead)).toEqual([]);
  });

  test('429 of the function itself is an attempt: it blocks nobody, and comes to an end', async () => {
    const { name, dead } = await serve({ prefetch: 1, maxAttempts: 3 });
    on.stage.pod.handle = (call) => (text(call) === 'never' ? 429 : 200);
    await on.stage.publish(name, ['never', '1', '2', '3']);
    await until(() => expect(on.stage.dispatcher.stats()[0]).toMatchObject({ done: 3, deadLettered: 1 }));
    const [letter] = await on.broker.drain(dead);
    expect(letter).toMatchObject({
      body: 'never',
      headers: { 'x-sless-reason': 'FunctionError', 'x-sless-attempts': 3 },
    });
  });

  test('of a function that stays busy all messages but one go back to their queue, and come when it takes them', async () => {
    const { name, queue } = await serve({ prefetch: 5 });
    let isBusy = true;
    on.stage.pod.handle = () => (isBusy ? 'busy' : 200);
    const bodies = Array.from({ length: 20 }, (_, index) => `${index}`);
    await on.stage.publish(name, bodies);
    await until(async () => expect((await on.broker.channel.checkQueue(queue)).messageCount).toBe(19));
    const { calls: before } = on.stage.pod;
    const knocks = before.length;
    await until(() => expect(on.stage.pod.calls.length).toBeGreaterThan(knocks));
    expect(on.stage.dispatcher.stats()[0]).toMatchObject({ done: 0, deadLettered: 0 });
    isBusy = false;
    await until(() => expect(on.stage.dispatcher.stats()[0]?.done).toBe(20));
    expect(on.stage.pod.calls.every(({ message }) => message.attempt === 1)).toBe(true);
    await empty(queue);
  });

  test('the message that knocks at a busy function may be lost with its connection: another one knocks', async () => {
    const { name, queue } = await serve({ prefetch: 5 });
    let isBusy = true;
    on.stage.pod.handle = () => (isBusy ? 'busy' : 200);
    await on.stage.publish(name, ['a', 'b', 'c']);
    await until(async () => expect((await on.broker.channel.checkQueue(queue)).messageCount).toBe(2));
    on.stage.relay.cut();
    isBusy = false;
    await until(() => expect(on.stage.dispatcher.stats()[0]?.done).toBe(3));
    await empty(queue);
  });

  test('a quorum queue drops nothing of a function that is busy again and again: a message is given back but a few times', async () => {
    const name = `q${on.number}`;
    const queue = await on.stage.declare(name, {
      arguments: { 'x-queue-type': 'quorum', 'x-delivery-limit': 6 },
    });
    const bodies = Array.from({ length: 24 }, (_, index) => `${index}`);
    await on.stage.publish(name, bodies);
    // One place is free now and then, as where others call the function too.
    let next = performance.now();
    on.stage.pod.handle = () => {
      if (performance.now() < next) return 'busy';
      next = performance.now() + 700;
      return 200;
    };
    on.stage.serve({ queue: name, trigger: name, prefetch: 20 });
    await until(() => expect(on.stage.dispatcher.stats()[0]?.done).toBe(24), 50_000);
    await empty(queue);
  }, 60_000);

  test('a quorum queue drops nothing of a function that comes and goes: what was given back often goes on in another queue', async () => {
    const name = `q${on.number}`;
    const queue = await on.stage.declare(name, {
      arguments: { 'x-queue-type': 'quorum', 'x-delivery-limit': 6 },
    });
    await on.stage.publish(name, ['a', 'b', 'c'], { headers: { own: 1 } });
    const bus = createAmqpBus();
    const seen: Delivery[] = [];
    const done: string[] = [];
    bus.consume(
      {
        owner: `team.${name}`,
        queue,
        deadLetterQueue: 'dead',
        prefetch: 5,
        broker: { id: '', url: async () => on.broker.url() },
      },
      {
        delivered(delivery) {
          seen.push(delivery);
          if (seen.length <= 60) return delivery.release();
          done.push(Buffer.from(delivery.body).toString());
          delivery.ack();
        },
        changed: () => {},
      },
    );
    await until(() => expect(done.sort()).toEqual(['a', 'b', 'c']));
    await bus.close();
    expect(seen.every(({ attempts, properties }) => attempts === 0 && properties.headers.own === 1)).toBe(
      true,
    );
    await empty(queue);
    expect(await on.broker.drain(`sless.retry.team.${name}`)).toEqual([]);
  });
});
