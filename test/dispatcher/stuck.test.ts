import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Broker, openBroker, withoutBroker } from '../rabbitmq/broker.ts';
import { openStage, type Stage, until } from './stage.ts';

/** What every change of a consumer's state has to be told within. */
const WITHIN_MS = 30_000;
/** As docs/events.md says them. */
const OURS = String.raw`^sless\.(retry|delay|dead|parked)\.`;

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

  test('with the rights that the page names all is done; a deadLetterQueue that is not there must be declared, or may be', async () => {
    const user = `user-${number}-${Date.now()}`;
    const grant = (...[configure, write, read]: readonly string[]) =>
      broker.rabbitmqctl(
        'set_permissions',
        '-p',
        broker.vhost,
        user,
        configure ?? '',
        write ?? '',
        read ?? '',
      );
    await broker.rabbitmqctl('add_user', user, 'word');
    try {
      await grant(OURS, String.raw`${OURS}|^amq\.default$`, String.raw`${OURS}|^team\.`);
      stage = await openStage({ on: broker, url: async () => broker.url(stage.relay, `${user}:word`) });
      stage.pod.handle = ({ message }) => (message.attempt === 1 ? 500 : 400);
      const { name } = await serve();
      await stage.publish(name, ['a']);
      await until(() => expect(stage.dispatcher.stats()[0]).toMatchObject({ retried: 1, deadLettered: 1 }));
      const other = stage.serve({
        queue: `own${number}`,
        trigger: `own${number}`,
        deadLetterQueue: 'failed',
      });
      await stage.declare(`own${number}`);
      await stage.publish(`own${number}`, ['b']);
      await fails(other, expect.stringMatching(/team\.failed: ACCESS_REFUSED/));
      await stage.declare('failed');
      await flows(other);
      expect(await broker.drain('team.failed')).toMatchObject([{ body: 'b' }]);
      await broker.channel.deleteQueue('team.failed');
      await grant(`${OURS}|^team\\.failed$`, String.raw`${OURS}|^amq\.default$`, String.raw`${OURS}|^team\.`);
      await stage.publish(`own${number}`, ['c']);
      await until(() => expect(stage.dispatcher.stats()[1]?.deadLettered).toBe(2));
      expect(await broker.drain('team.failed')).toMatchObject([{ body: 'c' }]);
    } finally {
      await broker.rabbitmqctl('delete_user', user);
    }
  }, 60_000);
});
