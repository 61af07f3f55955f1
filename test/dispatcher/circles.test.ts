import { describe, expect, test } from 'vitest';
import { withoutBroker } from '../rabbitmq/broker.ts';
import { until } from './stage.ts';
import { stagesOnBroker } from './stages.ts';

describe.skipIf(withoutBroker !== undefined)('messages that go round, on RabbitMQ', () => {
  const on = stagesOnBroker();
  const { served: serve, empty } = on;

  test('Triggers that name each other’s queues hand a message round ten times; then it lies where nobody consumes it', async () => {
    const other = `back${on.number}`;
    on.stage.pod.handle = () => 400;
    const { name, queue } = await serve({ deadLetterQueue: other });
    const back = await on.stage.declare(other);
    on.stage.serve({ queue: other, trigger: other, deadLetterQueue: name });
    await on.stage.publish(name, ['a', 'b'], { headers: { own: 'kept' } });
    const sum = (what: 'parked' | 'deadLettered') =>
      on.stage.dispatcher.stats().reduce((total, stats) => total + stats[what], 0);
    await until(() => expect(sum('parked')).toBe(2));
    expect([sum('deadLettered'), on.stage.pod.calls.length]).toEqual([20, 22]);
    const parked = await on.broker.drain(`sless.parked.team.${name}`);
    const headers = expect.objectContaining({
      own: 'kept',
      'x-sless-reason': 'MessageCircles',
      'x-sless-detail': expect.stringMatching(/^a dead letter 10 times before: .*FunctionRefused/),
      'x-sless-dead-letterings': 11,
    });
    expect(parked.map(({ body }) => body).sort()).toEqual(['a', 'b']);
    for (const one of parked) expect(one.headers).toEqual(headers);
    await empty(queue);
    await empty(back);
  });

  test('a Trigger on the dead letters of another, and that one on its: nothing circles there either', async () => {
    const other = `worker${on.number}`;
    on.stage.pod.handle = () => 422;
    for (const queue of [`sless.dead.team.q${on.number}`, `sless.dead.team.${other}`])
      await on.broker.channel.assertQueue(queue, { durable: true });
    const { name, dead } = await serve({ deadLetterQueue: `sless.dead.team.${other}` });
    on.stage.serve({ queue: `sless.dead.team.${other}`, trigger: other, deadLetterQueue: dead });
    on.stage.serve({ queue: dead, trigger: `third${on.number}`, deadLetterQueue: name });
    await on.stage.publish(name, ['a']);
    await until(() =>
      expect(on.stage.dispatcher.stats().reduce((total, { parked }) => total + parked, 0)).toBe(1),
    );
    expect(on.stage.pod.calls.length).toBe(11);
  });
});
