import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Broker, openBroker, withoutBroker } from '../rabbitmq/broker.ts';
import { text } from './pod.ts';
import { openStage, type Stage, until } from './stage.ts';

describe.skipIf(withoutBroker !== undefined)('a function that is busy, on RabbitMQ', () => {
  let broker: Broker;
  let stage: Stage;
  let number = 0;
  beforeAll(async () => {
    broker = await openBroker();
  });
  afterAll(() => broker?.close());
  beforeEach(async () => {
    stage = await openStage({ on: broker, holdMs: 300 });
    number += 1;
  });
  afterEach(() => stage.close());

  /** A queue and a Trigger of this test alone. */
  const serve = async (changes: Parameters<Stage['serve']>[0] = {}) => {
    const name = `q${number}`;
    const queue = await stage.declare(name);
    stage.serve({ queue: name, trigger: name, ...changes });
    return { name, queue, dead: `sless.dead.team.${name}` };
  };
  const empty = async (queue: string): Promise<void> => {
    await stage.dispatcher.close();
    expect(await broker.drain(queue)).toEqual([]);
  };

  test('429 of the runtime is no attempt: fewer calls at once, and every message gets through', async () => {
    const { name, dead } = await serve({ prefetch: 20, maxAttempts: 1 });
    stage.pod.handle = async () => {
      if (stage.pod.running.now > 2) return 'busy';
      await new Promise((resolve) => setTimeout(resolve, 5));
      return 200;
    };
    await stage.publish(
      name,
      Array.from({ length: 60 }, (_, index) => `${index}`),
    );
    await until(() => expect(stage.dispatcher.stats()[0]?.done).toBe(60));
    expect(stage.dispatcher.stats()[0]?.refused).toBeLessThan(200);
    expect(await broker.drain(dead)).toEqual([]);
  });

  test('429 of the function itself is an attempt: it blocks nobody, and comes to an end', async () => {
    const { name, dead } = await serve({ prefetch: 1, maxAttempts: 3 });
    stage.pod.handle = (call) => (text(call) === 'never' ? 429 : 200);
    await stage.publish(name, ['never', '1', '2', '3']);
    await until(() => expect(stage.dispatcher.stats()[0]).toMatchObject({ done: 3, deadLettered: 1 }));
    const [letter] = await broker.drain(dead);
    expect(letter).toMatchObject({
      body: 'never',
      headers: { 'x-sless-reason': 'FunctionError', 'x-sless-attempts': 3 },
    });
  });

  test('of a function that stays busy all messages but one go back to their queue, and come when it takes them', async () => {
    await stage.close();
    stage = await openStage({ on: broker, holdMs: 300 });
    const { name, queue } = await serve({ prefetch: 5 });
    let isBusy = true;
    stage.pod.handle = () => (isBusy ? 'busy' : 200);
    const bodies = Array.from({ length: 20 }, (_, index) => `${index}`);
    await stage.publish(name, bodies);
    await until(async () => expect((await broker.channel.checkQueue(queue)).messageCount).toBe(19));
    const { calls: before } = stage.pod;
    const knocks = before.length;
    await until(() => expect(stage.pod.calls.length).toBeGreaterThan(knocks));
    expect(stage.dispatcher.stats()[0]).toMatchObject({ done: 0, deadLettered: 0 });
    isBusy = false;
    await until(() => expect(stage.dispatcher.stats()[0]?.done).toBe(20));
    expect(stage.pod.calls.every(({ message }) => message.attempt === 1)).toBe(true);
    await empty(queue);
  });

  test('the message that knocks at a busy function may be lost with its connection: another one knocks', async () => {
    await stage.close();
    stage = await openStage({ on: broker, holdMs: 300 });
    const { name, queue } = await serve({ prefetch: 5 });
    let isBusy = true;
    stage.pod.handle = () => (isBusy ? 'busy' : 200);
    await stage.publish(name, ['a', 'b', 'c']);
    await until(async () => expect((await broker.channel.checkQueue(queue)).messageCount).toBe(2));
    stage.relay.cut();
    isBusy = false;
    await until(() => expect(stage.dispatcher.stats()[0]?.done).toBe(3));
    await empty(queue);
  });
});
