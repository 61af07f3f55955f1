import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Broker, openBroker, withoutBroker } from '../rabbitmq/broker.ts';
import { openStage, type Stage, until } from './stage.ts';

describe.skipIf(withoutBroker !== undefined)('messages that go round, on RabbitMQ', () => {
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

  test('Triggers that name each other’s queues hand a message round ten times; then it lies where nobody consumes it', async () => {
    const other = `back${number}`;
    stage.pod.handle = () => 400;
    const { name, queue } = await serve({ deadLetterQueue: other });
    const back = await stage.declare(other);
    stage.serve({ queue: other, trigger: other, deadLetterQueue: name });
    await stage.publish(name, ['a', 'b'], { headers: { own: 'kept' } });
    const sum = (what: 'parked' | 'deadLettered') =>
      stage.dispatcher.stats().reduce((total, stats) => total + stats[what], 0);
    await until(() => expect(sum('parked')).toBe(2));
    expect([sum('deadLettered'), stage.pod.calls.length]).toEqual([20, 22]);
    const parked = await broker.drain(`sless.parked.team.${name}`);
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
    const other = `worker${number}`;
    stage.pod.handle = () => 422;
    for (const queue of [`sless.dead.team.q${number}`, `sless.dead.team.${other}`])
      await broker.channel.assertQueue(queue, { durable: true });
    const { name, dead } = await serve({ deadLetterQueue: `sless.dead.team.${other}` });
    stage.serve({ queue: `sless.dead.team.${other}`, trigger: other, deadLetterQueue: dead });
    stage.serve({ queue: dead, trigger: `third${number}`, deadLetterQueue: name });
    await stage.publish(name, ['a']);
    await until(() =>
      expect(stage.dispatcher.stats().reduce((total, { parked }) => total + parked, 0)).toBe(1),
    );
    expect(stage.pod.calls.length).toBe(11);
  });
});
