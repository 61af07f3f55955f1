import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Broker, openBroker, withoutBroker } from '../rabbitmq/broker.ts';
import { text } from './pod.ts';
import { openStage, type Stage, until } from './stage.ts';

const NEIGHBOURS = ['a', 'b', 'c', 'd'];

describe.skipIf(withoutBroker !== undefined)('headers that only the broker writes, from a sender', () => {
  let broker: Broker;
  let stage: Stage;
  beforeAll(async () => {
    broker = await openBroker();
    // One step of delay: all that is tried again lies in one queue.
    stage = await openStage({ on: broker, delays: { firstMs: 300, maxMs: 300 } });
  });
  afterAll(async () => {
    await stage?.close();
    await broker?.close();
  });

  const counts = (trigger: string) => stage.dispatcher.stats().find((one) => one.trigger === trigger);

  test.each<[string, Record<string, unknown>]>([
    ['a list of no tables', { 'x-death': [null, 1, { queue: null }] }],
    ['tables of wrong values', { 'x-death': [{ queue: 1, reason: [], count: 'x', 'routing-keys': 7 }] }],
    ['a text', { 'x-death': 'often' }],
    ['wrong first and last deaths', { 'x-first-death-queue': 7, 'x-last-death-reason': [{}] }],
  ])('%s: it is tried again, and so is everything beside it, once', async (what, headers) => {
    const trigger = what.replaceAll(/[^a-z]/g, '-');
    stage.pod.calls.length = 0;
    stage.pod.handle = ({ message }) => (message.attempt === 1 ? 500 : 200);
    await stage.declare(trigger);
    await stage.publish(trigger, NEIGHBOURS.slice(0, 2));
    await stage.publish(trigger, ['forged'], { headers: { ...headers, mine: 1 } });
    await stage.publish(trigger, NEIGHBOURS.slice(2));
    stage.serve({ queue: trigger, trigger, maxAttempts: 2, prefetch: 10 });
    await until(() => expect(counts(trigger)).toMatchObject({ done: 5, retried: 5, deadLettered: 0 }));
    expect(stage.pod.calls.map(text).sort()).toEqual(
      [...NEIGHBOURS, ...NEIGHBOURS, 'forged', 'forged'].sort(),
    );
    // The function sees at each try what the sender wrote.
    const seen = stage.pod.calls
      .filter((call) => text(call) === 'forged')
      .map(({ message }) => message.headers);
    expect(seen).toEqual([
      { ...headers, mine: 1 },
      { ...headers, mine: 1 },
    ]);
  });

  test('what the broker itself said of a message’s deaths is seen at every try, and by whoever reads the dead letter', async () => {
    stage.pod.calls.length = 0;
    stage.pod.handle = () => 500;
    await stage.declare('once-dead');
    await broker.channel.assertQueue('first-life', {
      messageTtl: 1,
      deadLetterExchange: '',
      deadLetterRoutingKey: 'team.once-dead',
    });
    broker.channel.sendToQueue('first-life', Buffer.from('late'));
    stage.serve({ queue: 'once-dead', trigger: 'once-dead', maxAttempts: 2 });
    await until(() => expect(counts('once-dead')).toMatchObject({ retried: 1, deadLettered: 1 }));
    const deaths = {
      'x-death': [expect.objectContaining({ queue: 'first-life', reason: 'expired' })],
      'x-first-death-queue': 'first-life',
    };
    const seen = stage.pod.calls.map(({ message }) => message.headers);
    expect(seen).toEqual([expect.objectContaining(deaths), expect.objectContaining(deaths)]);
    const [letter] = await broker.drain('sless.dead.team.once-dead');
    expect(letter?.headers).not.toHaveProperty('x-death');
    expect(JSON.parse(String(letter?.headers['x-sless-origin'])).copies).toMatchObject(deaths);
  });

  test('more than there is room for is named', async () => {
    stage.pod.handle = () => 400;
    await stage.declare('long');
    stage.serve({ queue: 'long', trigger: 'long' });
    await stage.publish('long', ['x'], { headers: { 'x-death': ['y'.repeat(9000)], CC: ['nobody'] } });
    await until(() => expect(counts('long')).toMatchObject({ deadLettered: 1 }));
    const [letter] = await broker.drain('sless.dead.team.long');
    expect(letter?.headers['x-sless-left-out']).toBe('x-death');
    expect(JSON.parse(String(letter?.headers['x-sless-origin'])).copies).toEqual({ CC: ['nobody'] });
  });
});
