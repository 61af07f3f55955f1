import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Broker, openBroker } from '../rabbitmq/broker.ts';
import { type OwnNode, startOwnNode, withoutOwnNode } from '../rabbitmq/own-node.ts';
import { text } from './pod.ts';
import { openStage, type Stage, until } from './stage.ts';

/** On a broker of its own: an alarm stops everybody who publishes. */
describe.skipIf(withoutOwnNode !== undefined)(
  'a broker that is short of memory, on a RabbitMQ of its own',
  () => {
    let node: OwnNode;
    let broker: Broker;
    let stage: Stage;
    beforeAll(async () => {
      node = await startOwnNode();
    }, 120_000);
    afterAll(() => node?.close());
    beforeEach(async () => {
      broker = await openBroker(node);
      stage = await openStage({ on: broker });
    });
    afterEach(async () => {
      await alarm(false);
      await stage?.close();
      await broker?.close();
    });
    const alarm = (isOn: boolean) => node.ctl('set_vm_memory_high_watermark', isOn ? '0.0000001' : '0.9');

    test('goes on delivering and acknowledging; what is to be tried again waits, says why, and loses nothing', async () => {
      await stage.declare('orders');
      const consumer = stage.serve({ maxAttempts: 2 });
      stage.pod.handle = (call) => (text(call).startsWith('again') && call.message.attempt === 1 ? 500 : 200);
      const bodies = ['again 1', 'again 2', '1', '2', '3', '4', '5', '6', '7', '8'];
      // Before the alarm: afterwards nobody can publish.
      stage.scale(0);
      await stage.publish('orders', bodies);
      await alarm(true);
      stage.scale(1);
      const stats = () => stage.dispatcher.stats()[0];
      await until(() =>
        expect(stage.stateOf(consumer)).toMatchObject({ connected: true, reason: 'BrokerBlocked' }),
      );
      expect(stage.stateOf(consumer)?.message).toMatch(/^the broker takes no messages at present: .*memory/);
      await until(() => expect(stats()).toMatchObject({ done: 8, retried: 0, deadLettered: 0 }));
      await alarm(false);
      await until(() => expect(stats()).toMatchObject({ done: 10, retried: 2 }));
      await until(() =>
        expect(stage.stateOf(consumer)).toEqual({ connected: true, since: expect.any(String) }),
      );
      await stage.dispatcher.close();
      for (const queue of ['team.orders', 'sless.retry.team.orders', 'sless.dead.team.orders'])
        expect(await broker.drain(queue)).toEqual([]);
    });

    test('is said to be by a Trigger whose first copy comes when the connection for copies is stopped already', async () => {
      for (const queue of ['orders', 'later']) await stage.declare(queue);
      const first = stage.serve({ maxAttempts: 20 });
      const later = stage.serve({ trigger: 'later', queue: 'later', timeoutSeconds: 80 });
      let release: () => void = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      stage.pod.handle = (call) => (text(call) === 'late' ? held.then(() => 500) : 500);
      await stage.publish('later', ['late']);
      await until(() => expect(stage.pod.calls.map(text)).toContain('late'));
      await stage.publish('orders', ['again']);
      await until(() => expect(stage.pod.calls.length).toBeGreaterThan(2));
      await alarm(true);
      await until(() => expect(stage.stateOf(first)).toMatchObject({ reason: 'BrokerBlocked' }));
      expect(stage.stateOf(later)).toEqual({ connected: true, since: expect.any(String) });
      release();
      await until(() =>
        expect(stage.stateOf(later)).toMatchObject({ connected: true, reason: 'BrokerBlocked' }),
      );
    }, 90_000);

    test('keeps a dispatcher that is told to end from nothing: what waits is in its queue', async () => {
      await stage.declare('orders');
      const consumer = stage.serve({ maxAttempts: 2 });
      stage.pod.handle = () => 500;
      stage.scale(0);
      await stage.publish('orders', ['a', 'b']);
      await alarm(true);
      stage.scale(1);
      await until(() => expect(stage.stateOf(consumer)).toMatchObject({ reason: 'BrokerBlocked' }));
      await stage.dispatcher.close();
      await alarm(false);
      const letters = [
        ...(await broker.drain('team.orders')),
        ...(await broker.drain('sless.retry.team.orders')),
      ];
      expect(new Set(letters.map(({ body }) => body))).toEqual(new Set(['a', 'b']));
    }, 60_000);
  },
);
