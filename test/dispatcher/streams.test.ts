import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Broker, openBroker, withoutBroker } from '../rabbitmq/broker.ts';
import { text } from './pod.ts';
import { openStage, type Stage, until } from './stage.ts';

/** What every change of a consumer's state has to be told within. */
const WITHIN_MS = 30_000;

describe.skipIf(withoutBroker !== undefined)('streams, on RabbitMQ', () => {
  let broker: Broker;
  let stage: Stage;
  let number = 0;
  beforeAll(async () => {
    broker = await openBroker();
  });
  afterAll(() => broker?.close());
  beforeEach(async () => {
    stage = await openStage({ on: broker });
    number += 1;
  });
  afterEach(() => stage.close());

  const serve = (changes: Parameters<Stage['serve']>[0] = {}) => {
    const name = `q${number}`;
    return { name, consumer: stage.serve({ queue: name, trigger: name, ...changes }) };
  };
  const flows = (consumer: ReturnType<Stage['serve']>) =>
    until(
      () => expect(stage.stateOf(consumer)).toEqual({ connected: true, since: expect.any(String) }),
      WITHIN_MS,
    );
  const fails = (consumer: ReturnType<Stage['serve']>, reason: string) =>
    until(() => expect(stage.stateOf(consumer)).toMatchObject({ connected: false, reason }), WITHIN_MS);
  const done = (count: number, trigger: string) =>
    until(() =>
      expect(stage.dispatcher.stats().find((one) => one.trigger === trigger)?.done).toBeGreaterThanOrEqual(
        count,
      ),
    );

  test('a stream is refused, and nothing of it taken; a queue in its place is served', async () => {
    const { name, consumer } = serve();
    await stage.declare(name, { arguments: { 'x-queue-type': 'stream' } });
    await stage.publish(name, ['a']);
    await fails(consumer, 'QueueRefused');
    expect(stage.stateOf(consumer)?.message).toContain('is a stream');
    await stage.publish(name, ['b']);
    await broker.channel.deleteQueue(`team.${name}`);
    await stage.declare(name, { arguments: { 'x-queue-type': 'quorum' } });
    await flows(consumer);
    await stage.publish(name, ['c']);
    await done(1, name);
    expect(stage.pod.calls.map(text)).toEqual(['c']);
    // Whether it is a stream was asked without taking anything.
    expect(stage.pod.calls[0]?.message).toMatchObject({ redelivered: false, attempt: 1 });
  });

  test('a queue that is made anew as a stream under a live Trigger is refused', async () => {
    const { name, consumer } = serve();
    await stage.declare(name);
    await flows(consumer);
    await broker.channel.deleteQueue(`team.${name}`);
    await stage.declare(name, { arguments: { 'x-queue-type': 'stream' } });
    await fails(consumer, 'QueueRefused');
    await stage.publish(name, ['a']);
    expect(stage.dispatcher.stats().find((one) => one.trigger === name)?.done ?? 0).toBe(0);
  });

  test('a retry queue that somebody made a stream is refused as well', async () => {
    const name = `q${number}`;
    await broker.channel.assertQueue(`sless.retry.team.${name}`, {
      durable: true,
      arguments: { 'x-queue-type': 'stream' },
    });
    await stage.declare(name);
    const { consumer } = serve();
    await fails(consumer, 'QueueRefused');
    expect(stage.stateOf(consumer)?.message).toContain('sless.retry.');
  });
});
