import { describe, expect, test } from 'vitest';
import { withoutBroker } from '../rabbitmq/broker.ts';
import { text } from './pod.ts';
import { stagesOnBroker } from './stages.ts';

describe.skipIf(withoutBroker !== undefined)('streams, on RabbitMQ', () => {
  const on = stagesOnBroker();
  const { waiting: serve, flows, fails, done } = on;

  test('a stream is refused, and nothing of it taken; a queue in its place is served', async () => {
    const { name, consumer } = serve();
    await on.stage.declare(name, { arguments: { 'x-queue-type': 'stream' } });
    await on.stage.publish(name, ['a']);
    await fails(consumer, 'QueueRefused');
    expect(on.stage.stateOf(consumer)?.message).toContain('is a stream');
    await on.stage.publish(name, ['b']);
    await on.broker.channel.deleteQueue(`team.${name}`);
    await on.stage.declare(name, { arguments: { 'x-queue-type': 'quorum' } });
    await flows(consumer);
    await on.stage.publish(name, ['c']);
    await done(1, name);
    expect(on.stage.pod.calls.map(text)).toEqual(['c']);
    // Whether it is a stream was asked without taking anything.
    expect(on.stage.pod.calls[0]?.message).toMatchObject({ redelivered: false, attempt: 1 });
  });

  test('a queue that is made anew as a stream under a live Trigger is refused', async () => {
    const { name, consumer } = serve();
    await on.stage.declare(name);
    await flows(consumer);
    await on.broker.channel.deleteQueue(`team.${name}`);
    await on.stage.declare(name, { arguments: { 'x-queue-type': 'stream' } });
    await fails(consumer, 'QueueRefused');
    await on.stage.publish(name, ['a']);
    expect(on.stage.dispatcher.stats().find((one) => one.trigger === name)?.done ?? 0).toBe(0);
  });

  test('a retry queue that somebody made a stream is refused as well', async () => {
    const name = `q${on.number}`;
    await on.broker.channel.assertQueue(`sless.retry.team.${name}`, {
      durable: true,
      arguments: { 'x-queue-type': 'stream' },
    });
    await on.stage.declare(name);
    const { consumer } = serve();
    await fails(consumer, 'QueueRefused');
    expect(on.stage.stateOf(consumer)?.message).toContain('sless.retry.');
  });
});
