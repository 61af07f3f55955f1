import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Broker, HEADERS, long, openBroker, short, withoutBroker } from '../rabbitmq/broker.ts';
import { text } from './pod.ts';
import { openStage, type Stage, until } from './stage.ts';

const typed = (type: string, bytes: Buffer): Buffer => Buffer.concat([Buffer.from(type), bytes]);
const table = (...members: readonly (readonly [string, Buffer])[]): Buffer =>
  long(Buffer.concat(members.flatMap(([name, value]) => [short(name), value])));
const say = (what: string): Buffer => typed('S', long(Buffer.from(what)));
/** What JavaScript makes no text and no number of. */
const ODD = typed('F', table(['toString', say('x')], ['valueOf', say('x')]));
const list = (...members: readonly Buffer[]): Buffer => typed('A', long(Buffer.concat(members)));
const inTable = (name: string): Buffer => typed('F', table([name, ODD]));

describe.skipIf(withoutBroker !== undefined)('headers with tables where nobody puts one, on RabbitMQ', () => {
  let broker: Broker;
  let stage: Stage;
  beforeAll(async () => {
    broker = await openBroker();
    stage = await openStage({ on: broker });
  });
  afterAll(async () => {
    await stage?.close();
    await broker?.close();
  });

  test.each<[string, Buffer]>([
    ['x-sless-dead-letterings', ODD],
    ['x-sless-dead-letterings', list(ODD)],
    ['x-sless-attempts', ODD],
    ['x-sless-origin', ODD],
    ['x-sless-copy', ODD],
    ['x-delivery-count', ODD],
    ['x-last-death-queue', ODD],
    ['traceparent', list(ODD)],
    ['CC', list(say('nobody'), say('none'))],
    ['toJSON', ODD],
    ['constructor', inTable('toJSON')],
  ])('%s: it is called, tried again, and whoever stands behind it is served', async (name, value) => {
    const trigger = `t-${stage.dispatcher.stats().length}`;
    const queue = await stage.declare(trigger);
    await broker.publishRaw(queue, HEADERS, table([name, value]));
    await stage.publish(trigger, ['after']);
    stage.pod.handle = (call) => (text(call) === 'body' ? 500 : 200);
    stage.serve({ queue: trigger, trigger, prefetch: 1, maxAttempts: 2 });
    const stats = () => stage.dispatcher.stats().find((one) => one.trigger === trigger);
    await until(() => expect(stats()).toMatchObject({ done: 1, retried: 1, deadLettered: 1 }));
    const letters = await broker.drain(`sless.dead.team.${trigger}`);
    expect(letters).toMatchObject([{ body: 'body', headers: { 'x-sless-attempts': 2 } }]);
  });
});
