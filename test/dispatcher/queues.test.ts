import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/resources/kube/object.ts';
import { type Broker, openBroker, withoutBroker } from '../rabbitmq/broker.ts';
import { configMapOf, consumerOf, triggerOf } from './objects.ts';
import { text } from './pod.ts';
import { openStage, type Stage, until } from './stage.ts';

/** What every change of a consumer's state has to be told within. */
const WITHIN_MS = 30_000;

describe.skipIf(withoutBroker !== undefined)('queues and brokers that misbehave, on RabbitMQ', () => {
  let broker: Broker;
  let stage: Stage;
  let number = 0;
  beforeAll(async () => {
    broker = await openBroker();
  });
  afterAll(() => broker?.close());
  beforeEach(async () => {
    stage = await openStage({ on: broker, allowedHosts: ['127.0.0.1'] });
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

  test('a queue that comes later, is deleted, and is made again under a live Trigger', async () => {
    const { name, consumer } = serve();
    await fails(consumer, 'QueueNotFound');
    expect(stage.stateOf(consumer)?.message).toBe(`there is no queue team.${name}`);
    await stage.declare(name);
    await flows(consumer);
    await stage.publish(name, ['a']);
    await done(1, name);
    await broker.channel.deleteQueue(`team.${name}`);
    await fails(consumer, 'QueueNotFound');
    await stage.declare(name, { arguments: { 'x-queue-type': 'quorum' } });
    await flows(consumer);
    await stage.publish(name, ['b']);
    await done(2, name);
    expect(stage.pod.calls.map(text)).toEqual(['a', 'b']);
  });

  test('a message that waits for its next try outlives its queue', async () => {
    const { name, consumer } = serve();
    await stage.declare(name);
    stage.pod.handle = ({ message }) => (message.attempt === 1 ? 500 : 200);
    await flows(consumer);
    await stage.publish(name, ['a']);
    await until(() => expect(stage.dispatcher.stats()[0]?.retried).toBe(1));
    await broker.channel.deleteQueue(`team.${name}`);
    await done(1, name);
    expect(stage.pod.calls[1]?.message).toMatchObject({ routingKey: `team.${name}`, attempt: 2 });
  });

  test('the broker goes away and comes back; what was in hand comes again', async () => {
    const { name, consumer } = serve({ prefetch: 1 });
    await stage.declare(name);
    await flows(consumer);
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    stage.pod.handle = async ({ message }) => {
      if (message.redelivered !== true) await held;
      return 200;
    };
    await stage.publish(name, ['a']);
    await until(() => expect(stage.pod.calls.length).toBe(1));
    await stage.relay.down();
    release();
    await fails(consumer, 'BrokerUnavailable');
    await stage.relay.restore();
    await flows(consumer);
    await done(1, name);
    expect(stage.pod.calls.map(({ message }) => [message.redelivered, message.attempt])).toEqual([
      [false, 1],
      [true, 1],
    ]);
    expect(stage.writes.length).toBeLessThanOrEqual(4);
  });

  test('a connection over which nothing passes any more is noticed and made anew', async () => {
    const { name, consumer } = serve();
    await stage.declare(name);
    await flows(consumer);
    stage.relay.mute();
    await stage.publish(name, ['a']);
    await until(() => expect(stage.pod.calls.length).toBe(1), 45_000);
  }, 60_000);

  test('a broker of one’s own: its Secret, its password that changes, its host', async () => {
    const user = `user-${number}-${Date.now()}`;
    await broker.rabbitmqctl('add_user', user, 'first');
    await broker.rabbitmqctl('set_permissions', '-p', broker.vhost, user, '.*', '.*', '.*');
    const secret = (url: string): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'team', name: 'fn-mq' },
      data: { url: Buffer.from(url).toString('base64') },
    });
    const put = (url: string) => stage.secrets.set('team/fn-mq', secret(url));
    const own = `own${number}`;
    await broker.channel.assertQueue(own, { durable: true });
    try {
      const { consumer, name } = serve({ queue: own, brokerSecret: 'fn-mq' });
      await fails(consumer, 'BrokerSecretInvalid');
      put('amqp://a:b@elsewhere.example/v');
      await until(() => expect(stage.stateOf(consumer)?.message).toContain('elsewhere.example'), WITHIN_MS);
      put(broker.url(stage.relay, `${user}:first`));
      await flows(consumer);
      broker.channel.sendToQueue(own, Buffer.from('a'));
      await done(1, name);
      await broker.rabbitmqctl('change_password', user, 'second');
      stage.relay.cut();
      await fails(consumer, 'BrokerRefused');
      expect(JSON.stringify(stage.writes)).not.toMatch(/first|second|amqp:/);
      put(broker.url(stage.relay, `${user}:second`));
      await flows(consumer);
      broker.channel.sendToQueue(own, Buffer.from('b'));
      await done(2, name);
    } finally {
      await broker.rabbitmqctl('delete_user', user);
    }
  }, 120_000);

  test('a function that always fails: delays grow, attempts are bounded, all of it ends as dead letters', async () => {
    const { name, consumer } = serve({ maxAttempts: 3, prefetch: 100 });
    await stage.declare(name);
    stage.pod.handle = () => 500;
    await flows(consumer);
    await stage.publish(
      name,
      Array.from({ length: 1000 }, (_, index) => `${index}`),
    );
    await until(() => expect(stage.dispatcher.stats()[0]?.deadLettered).toBe(1000), 60_000);
    expect(stage.pod.calls.length).toBe(3000);
    const letters = await broker.drain(`sless.dead.team.${name}`);
    expect(new Set(letters.map(({ body }) => body)).size).toBe(1000);
    expect(letters.every(({ headers }) => headers['x-sless-attempts'] === 3)).toBe(true);
  }, 90_000);

  test.each([
    ['text', Buffer.from('no JSON at all {')],
    ['nothing', Buffer.alloc(0)],
    ['bytes', Buffer.from([0xff, 0, 0xfe])],
    ['10 MB', Buffer.alloc(10 * 1024 * 1024, 'x')],
  ])('a body of %s arrives as it is, whatever it is said to be', async (_what, body) => {
    const { name } = serve();
    await stage.declare(name);
    await stage.publish(name, [body], { contentType: 'application/json' });
    await done(1, name);
    expect(stage.pod.calls[0]?.body.equals(body)).toBe(true);
  });

  // The broker's frames end at 128 KiB, and a header has to lie within one: more than this it takes from nobody.
  test.each([50_000, 130_000])(
    'headers of %i bytes, more than a function takes, are a dead letter',
    async (size) => {
      const { name } = serve();
      await stage.declare(name);
      await broker.publishBigHeader(`team.${name}`, size);
      await stage.publish(name, ['after']);
      await done(1, name);
      await until(() => expect(stage.dispatcher.stats()[0]?.deadLettered).toBe(1));
      const [letter] = await broker.drain(`sless.dead.team.${name}`);
      expect(letter).toMatchObject({ body: 'body', headers: { 'x-sless-reason': 'HeadersTooLarge' } });
      expect(Object.keys(letter?.headers ?? {})).toContain(size > 60_000 ? 'x-sless-left-out' : 'big');
      expect(stage.pod.calls.map(text)).toEqual(['after']);
    },
  );

  test('a delay queue that somebody made otherwise, a queue that somebody keeps to himself: one Trigger suffers', async () => {
    const { name, consumer } = serve({ maxAttempts: 5 });
    await stage.declare(name);
    for (const ms of [75, 100, 125])
      await broker.channel.assertQueue(`sless.delay.team.${name}.${ms}`, { durable: false });
    const kept = stage.serve({ queue: `kept${number}`, trigger: `kept${number}` });
    const well = stage.serve({ queue: `well${number}`, trigger: `well${number}` });
    for (const queue of [`kept${number}`, `well${number}`]) await stage.declare(queue);
    await flows(well);
    stage.pod.handle = (call) => (text(call) === 'bad' && call.message.attempt === 1 ? 500 : 200);
    await stage.publish(name, ['bad']);
    await fails(consumer, 'QueueRefused');
    await stage.publish(
      `well${number}`,
      Array.from({ length: 100 }, (_, index) => `${index}`),
    );
    await done(100, `well${number}`);
    expect(stage.stateOf(well)).toEqual({ connected: true, since: expect.any(String) });
    for (const ms of [75, 100, 125]) await broker.channel.deleteQueue(`sless.delay.team.${name}.${ms}`);
    await done(1, name);
    await flows(consumer);
    stage.unserve(kept);
    await until(async () =>
      expect((await broker.channel.checkQueue(`team.kept${number}`)).consumerCount).toBe(0),
    );
    await broker.channel.consume(`team.kept${number}`, () => {}, { exclusive: true });
    const again = stage.serve({ queue: `kept${number}`, trigger: `again${number}` });
    await fails(again, 'QueueRefused');
  }, 60_000);

  test('two Triggers on one queue share it, each with its own tries', async () => {
    const { name } = serve({ maxAttempts: 2 });
    await stage.declare(name);
    const other = stage.serve({ queue: name, trigger: `other${number}`, maxAttempts: 2 });
    await flows(other);
    stage.pod.handle = ({ message }) => (message.attempt === 1 ? 500 : 200);
    await stage.publish(
      name,
      Array.from({ length: 60 }, (_, index) => `${index}`),
    );
    await until(() => expect(stage.dispatcher.stats().reduce((sum, { done: one }) => sum + one, 0)).toBe(60));
    for (const { done: one, retried } of stage.dispatcher.stats()) {
      expect(one).toBeGreaterThan(0);
      expect(retried).toBe(one);
    }
  });

  test('a ConfigMap counts only while its very Trigger lives and says the same', async () => {
    const name = `q${number}`;
    await stage.declare(name);
    await stage.declare(`secret${number}`);
    const consumer = consumerOf({ queue: name, trigger: name });
    const forged = {
      ...configMapOf(consumer),
      data: { ...(configMapOf(consumer).data as object), queue: `secret${number}` },
    };
    const trigger = triggerOf(consumer);
    for (const objects of [
      [configMapOf(consumer)],
      [{ ...trigger, metadata: { ...trigger.metadata, uid: 'another' } }],
      [trigger, forged],
      [{ ...trigger, spec: { ...(trigger.spec as object), enabled: false } }, configMapOf(consumer)],
      [{ ...trigger, metadata: { ...trigger.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }],
    ]) {
      stage.cluster.apply(...objects);
      expect(stage.dispatcher.stats()).toEqual([]);
    }
    stage.cluster.apply(trigger);
    expect(stage.dispatcher.stats().length).toBe(1);
  });
});
