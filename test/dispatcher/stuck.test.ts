import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Broker, openBroker, withoutBroker } from '../rabbitmq/broker.ts';
import { openStage, type Stage, until } from './stage.ts';

/** What every change of a consumer's state has to be told within. */
const WITHIN_MS = 30_000;

describe.skipIf(withoutBroker !== undefined)('messages that cannot be put away, on RabbitMQ', () => {
  let broker: Broker;
  let stage: Stage;
  let number = 0;
  beforeAll(async () => {
    broker = await openBroker();
  });
  afterAll(() => broker?.close());
  beforeEach(() => {
    number += 1;
  });
  afterEach(() => stage.close());

  const serve = async (changes: Parameters<Stage['serve']>[0] = {}) => {
    const name = `q${number}`;
    await stage.declare(name);
    return { name, consumer: stage.serve({ queue: name, trigger: name, ...changes }) };
  };
  type Consumer = ReturnType<Stage['serve']>;
  const flows = (consumer: Consumer) =>
    until(
      () => expect(stage.stateOf(consumer)).toEqual({ connected: true, since: expect.any(String) }),
      WITHIN_MS,
    );
  const fails = (consumer: Consumer, message: unknown) =>
    until(
      () =>
        expect(stage.stateOf(consumer)).toMatchObject({ connected: false, reason: 'QueueRefused', message }),
      WITHIN_MS,
    );

  test('one that is lost with its connection is stuck no more: all is well when what comes again is done', async () => {
    stage = await openStage({ on: broker });
    const { name, consumer } = await serve();
    const delays = [75, 100, 125].map((ms) => `sless.delay.team.${name}.${ms}`);
    for (const queue of delays) await broker.channel.assertQueue(queue, { durable: false });
    stage.pod.handle = () => 500;
    await stage.publish(name, ['a']);
    await fails(consumer, expect.stringContaining('sless.delay'));
    stage.pod.handle = () => 200;
    stage.relay.cut();
    for (const queue of delays) await broker.channel.deleteQueue(queue);
    await until(() => expect(stage.dispatcher.stats()[0]?.done).toBe(1));
    await flows(consumer);
  }, 60_000);

  test('a dead-letter queue that is full is said to be, and filled again when there is room', async () => {
    stage = await openStage({ on: broker });
    const dead = `sless.dead.team.q${number}`;
    await broker.channel.assertQueue(dead, {
      durable: true,
      maxLength: 1,
      arguments: { 'x-overflow': 'reject-publish' },
    });
    stage.pod.handle = () => 400;
    const { name, consumer } = await serve();
    await stage.publish(name, ['a', 'b']);
    await fails(consumer, `the queue ${dead} takes no messages: is it full?`);
    expect((await broker.drain(dead)).length).toBe(1);
    await until(() => expect(stage.dispatcher.stats()[0]?.deadLettered).toBe(2));
    await flows(consumer);
    expect((await broker.drain(dead)).length).toBe(1);
  }, 60_000);
});
