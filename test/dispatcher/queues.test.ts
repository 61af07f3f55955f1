import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/resources/kube/object.ts';
import { withoutBroker } from '../rabbitmq/broker.ts';
import { configMapOf, consumerOf, triggerOf } from './objects.ts';
import { text } from './pod.ts';
import { until } from './stage.ts';
import { stagesOnBroker } from './stages.ts';

/** What every change of a consumer's state has to be told within. */
const WITHIN_MS = 30_000;

describe.skipIf(withoutBroker !== undefined)('queues and brokers that misbehave, on RabbitMQ', () => {
  const on = stagesOnBroker({ allowedHosts: ['127.0.0.1'] });
  const { waiting: serve, flows, fails, done } = on;

  test('a queue that comes later, is deleted, and is made again under a live Trigger', async () => {
    const { name, consumer } = serve();
    await fails(consumer, 'QueueNotFound');
    expect(on.stage.stateOf(consumer)?.message).toBe(`there is no queue team.${name}`);
    await on.stage.declare(name);
    await flows(consumer);
    await on.stage.publish(name, ['a']);
    await done(1, name);
    await on.broker.channel.deleteQueue(`team.${name}`);
    await fails(consumer, 'QueueNotFound');
    await on.stage.declare(name, { arguments: { 'x-queue-type': 'quorum' } });
    await flows(consumer);
    await on.stage.publish(name, ['b']);
    await done(2, name);
    expect(on.stage.pod.calls.map(text)).toEqual(['a', 'b']);
  });

  test('a message that waits for its next try outlives its queue', async () => {
    const { name, consumer } = serve();
    await on.stage.declare(name);
    on.stage.pod.handle = ({ message }) => (message.attempt === 1 ? 500 : 200);
    await flows(consumer);
    await on.stage.publish(name, ['a']);
    await until(() => expect(on.stage.dispatcher.stats()[0]?.retried).toBe(1));
    await on.broker.channel.deleteQueue(`team.${name}`);
    await done(1, name);
    expect(on.stage.pod.calls[1]?.message).toMatchObject({ routingKey: `team.${name}`, attempt: 2 });
  });

  test('the broker goes away and comes back; what was in hand comes again', async () => {
    const { name, consumer } = serve({ prefetch: 1 });
    await on.stage.declare(name);
    await flows(consumer);
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    on.stage.pod.handle = async ({ message }) => {
      if (message.redelivered !== true) await held;
      return 200;
    };
    await on.stage.publish(name, ['a']);
    await until(() => expect(on.stage.pod.calls.length).toBe(1));
    await on.stage.relay.down();
    release();
    await fails(consumer, 'BrokerUnavailable');
    await on.stage.relay.restore();
    await flows(consumer);
    await done(1, name);
    expect(on.stage.pod.calls.map(({ message }) => [message.redelivered, message.attempt])).toEqual([
      [false, 1],
      [true, 1],
    ]);
    expect(on.stage.writes.length).toBeLessThanOrEqual(4);
  });

  test('a connection over which nothing passes any more is noticed and made anew', async () => {
    const { name, consumer } = serve();
    await on.stage.declare(name);
    await flows(consumer);
    on.stage.relay.mute();
    await on.stage.publish(name, ['a']);
    await until(() => expect(on.stage.pod.calls.length).toBe(1), 45_000);
  }, 60_000);

  test('a broker of one’s own: its Secret, its password that changes, its host', async () => {
    const user = `user-${on.number}-${Date.now()}`;
    await on.broker.rabbitmqctl('add_user', user, 'first');
    await on.broker.rabbitmqctl('set_permissions', '-p', on.broker.vhost, user, '.*', '.*', '.*');
    const secret = (url: string): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'team', name: 'fn-mq' },
      data: { url: Buffer.from(url).toString('base64') },
    });
    const put = (url: string) => on.stage.secrets.set('team/fn-mq', secret(url));
    const own = `own${on.number}`;
    await on.broker.channel.assertQueue(own, { durable: true });
    try {
      const { consumer, name } = serve({ queue: own, brokerSecret: 'fn-mq' });
      await fails(consumer, 'BrokerSecretInvalid');
      put('amqp://a:b@elsewhere.example/v');
      await until(
        () => expect(on.stage.stateOf(consumer)?.message).toContain('elsewhere.example'),
        WITHIN_MS,
      );
      put(on.broker.url(on.stage.relay, `${user}:first`));
      await flows(consumer);
      on.broker.channel.sendToQueue(own, Buffer.from('a'));
      await done(1, name);
      await on.broker.rabbitmqctl('change_password', user, 'second');
      on.stage.relay.cut();
      await fails(consumer, 'BrokerRefused');
      expect(JSON.stringify(on.stage.writes)).not.toMatch(/first|second|amqp:/);
      put(on.broker.url(on.stage.relay, `${user}:second`));
      await flows(consumer);
      on.broker.channel.sendToQueue(own, Buffer.from('b'));
      await done(2, name);
    } finally {
      await on.broker.rabbitmqctl('delete_user', user);
    }
  }, 120_000);

  test('a function that always fails: delays grow, attempts are bounded, all of it ends as dead letters', async () => {
    const { name, consumer } = serve({ maxAttempts: 3, prefetch: 100 });
    await on.stage.declare(name);
    on.stage.pod.handle = () => 500;
    await flows(consumer);
    await on.stage.publish(
      name,
      Array.from({ length: 1000 }, (_, index) => `${index}`),
    );
    await until(() => expect(on.stage.dispatcher.stats()[0]?.deadLettered).toBe(1000), 60_000);
    expect(on.stage.pod.calls.length).toBe(3000);
    const letters = await on.broker.drain(`sless.dead.team.${name}`);
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
    await on.stage.declare(name);
    await on.stage.publish(name, [body], { contentType: 'application/json' });
    await done(1, name);
    expect(on.stage.pod.calls[0]?.body.equals(body)).toBe(true);
  });

  // The broker's frames end at 128 KiB, and a header has to lie within one: more than this it takes from nobody.
  test.each([50_000, 130_000])(
    'headers of %i bytes, more than a function takes, are a dead letter',
    async (size) => {
      const { name } = serve();
      await on.stage.declare(name);
      await on.broker.publishBigHeader(`team.${name}`, size);
      await on.stage.publish(name, ['after']);
      await done(1, name);
      await until(() => expect(on.stage.dispatcher.stats()[0]?.deadLettered).toBe(1));
      const [letter] = await on.broker.drain(`sless.dead.team.${name}`);
      expect(letter).toMatchObject({ body: 'body', headers: { 'x-sless-reason': 'HeadersTooLarge' } });
      expect(Object.keys(letter?.headers ?? {})).toContain(size > 60_000 ? 'x-sless-left-out' : 'big');
      expect(on.stage.pod.calls.map(text)).toEqual(['after']);
    },
  );

  test('a delay queue that somebody made otherwise, a queue that somebody keeps to himself: one Trigger suffers', async () => {
    const { name, consumer } = serve({ maxAttempts: 5 });
    await on.stage.declare(name);
    for (const ms of [75, 100, 125])
      await on.broker.channel.assertQueue(`sless.delay.team.${name}.${ms}`, { durable: false });
    const kept = on.stage.serve({ queue: `kept${on.number}`, trigger: `kept${on.number}` });
    const well = on.stage.serve({ queue: `well${on.number}`, trigger: `well${on.number}` });
    for (const queue of [`kept${on.number}`, `well${on.number}`]) await on.stage.declare(queue);
    await flows(well);
    on.stage.pod.handle = (call) => (text(call) === 'bad' && call.message.attempt === 1 ? 500 : 200);
    await on.stage.publish(name, ['bad']);
    await fails(consumer, 'QueueRefused');
    await on.stage.publish(
      `well${on.number}`,
      Array.from({ length: 100 }, (_, index) => `${index}`),
    );
    await done(100, `well${on.number}`);
    expect(on.stage.stateOf(well)).toEqual({ connected: true, since: expect.any(String) });
    for (const ms of [75, 100, 125]) await on.broker.channel.deleteQueue(`sless.delay.team.${name}.${ms}`);
    await done(1, name);
    await flows(consumer);
    on.stage.unserve(kept);
    await until(async () =>
      expect((await on.broker.channel.checkQueue(`team.kept${on.number}`)).consumerCount).toBe(0),
    );
    await on.broker.channel.consume(`team.kept${on.number}`, () => {}, { exclusive: true });
    const again = on.stage.serve({ queue: `kept${on.number}`, trigger: `again${on.number}` });
    await fails(again, 'QueueRefused');
  }, 60_000);

  test('two Triggers on one queue share it, each with its own tries', async () => {
    const { name } = serve({ maxAttempts: 2 });
    await on.stage.declare(name);
    const other = on.stage.serve({ queue: name, trigger: `other${on.number}`, maxAttempts: 2 });
    await flows(other);
    on.stage.pod.handle = ({ message }) => (message.attempt === 1 ? 500 : 200);
    await on.stage.publish(
      name,
      Array.from({ length: 60 }, (_, index) => `${index}`),
    );
    await until(() =>
      expect(on.stage.dispatcher.stats().reduce((sum, { done: one }) => sum + one, 0)).toBe(60),
    );
    for (const { done: one, retried } of on.stage.dispatcher.stats()) {
      expect(one).toBeGreaterThan(0);
      expect(retried).toBe(one);
    }
  });

  test('a ConfigMap counts only while its very Trigger lives and says the same', async () => {
    const name = `q${on.number}`;
    await on.stage.declare(name);
    await on.stage.declare(`secret${on.number}`);
    const consumer = consumerOf({ queue: name, trigger: name });
    const forged = {
      ...configMapOf(consumer),
      data: { ...(configMapOf(consumer).data as object), queue: `secret${on.number}` },
    };
    const trigger = triggerOf(consumer);
    for (const objects of [
      [configMapOf(consumer)],
      [{ ...trigger, metadata: { ...trigger.metadata, uid: 'another' } }],
      [trigger, forged],
      [{ ...trigger, spec: { ...(trigger.spec as object), enabled: false } }, configMapOf(consumer)],
      [{ ...trigger, metadata: { ...trigger.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }],
    ]) {
      on.stage.cluster.apply(...objects);
      expect(on.stage.dispatcher.stats()).toEqual([]);
    }
    on.stage.cluster.apply(trigger);
    expect(on.stage.dispatcher.stats().length).toBe(1);
  });
});
