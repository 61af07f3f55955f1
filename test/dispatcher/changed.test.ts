import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Broker, openBroker, withoutBroker } from '../rabbitmq/broker.ts';
import { text } from './pod.ts';
import { openStage, type Stage, until } from './stage.ts';

describe.skipIf(withoutBroker !== undefined)('a Trigger that is changed while it works, on RabbitMQ', () => {
  let broker: Broker;
  let stage: Stage;
  beforeAll(async () => {
    broker = await openBroker();
  });
  afterAll(() => broker?.close());
  beforeEach(async () => {
    stage = await openStage({ on: broker });
  });
  afterEach(() => stage.close());

  test('calls under way count for its prefetch, whatever is changed and however often', async () => {
    await stage.declare('edited');
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    stage.pod.handle = () => held.then(() => 200);
    const served = { queue: 'edited', trigger: 'edited', prefetch: 1 };
    stage.serve(served);
    await stage.publish('edited', ['a', 'b', 'c', 'd', 'e']);
    await until(() => expect(stage.pod.calls.length).toBe(1));
    for (const maxAttempts of [4, 5]) {
      stage.serve({ ...served, maxAttempts });
      await until(() => expect(stage.dispatcher.stats()[0]?.delivered).toBeGreaterThan(0));
    }
    stage.unserve(stage.serve({ ...served, maxAttempts: 6 }));
    stage.serve({ ...served, maxAttempts: 7 });
    await until(() => expect(stage.dispatcher.stats()[0]?.delivered).toBeGreaterThan(0));
    expect(stage.pod.running).toEqual({ now: 1, most: 1 });
    release();
    await until(() => expect(stage.dispatcher.stats()[0]?.done).toBe(4));
    expect(stage.pod.running.most).toBe(1);
    expect(new Set(stage.pod.calls.map(text)).size).toBe(5);
  });

  test('a message says the queue that it came from at every try, when its Trigger is on another one by then', async () => {
    for (const queue of ['before', 'after']) await stage.declare(queue);
    stage.pod.handle = () => 500;
    stage.serve({ queue: 'before', trigger: 'moved', maxAttempts: 3 });
    await stage.publish('before', ['a']);
    await until(() => expect(stage.dispatcher.stats()[0]?.retried).toBe(1));
    stage.serve({ queue: 'after', trigger: 'moved', maxAttempts: 3 });
    await until(() => expect(stage.dispatcher.stats()[0]?.deadLettered).toBe(1));
    expect(stage.pod.calls.map(({ message }) => message.queue)).toEqual(['before', 'before', 'before']);
    const [letter] = await broker.drain('sless.dead.team.moved');
    expect(letter?.headers['x-sless-queue']).toBe('before');
    await stage.publish('after', ['b']);
    await until(() => expect(stage.pod.calls.at(-1)?.message.queue).toBe('after'));
  });
});
