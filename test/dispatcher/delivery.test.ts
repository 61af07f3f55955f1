import { describe, expect, test } from 'vitest';
import { withoutBroker } from '../rabbitmq/broker.ts';
import { text } from './pod.ts';
import { until } from './stage.ts';
import { stagesOnBroker } from './stages.ts';

describe.skipIf(withoutBroker !== undefined)('a message and its function, on RabbitMQ', () => {
  const on = stagesOnBroker();
  const { served: serve, empty } = on;
  const calls = (count: number): Promise<void> =>
    until(() => expect(on.stage.pod.calls.length).toBeGreaterThanOrEqual(count));

  test.each([{}, { arguments: { 'x-queue-type': 'quorum' } }])('2xx is the end of it: %j', async (kind) => {
    const { name, queue } = await serve({}, kind);
    await on.stage.publish(name, ['a', 'b', 'c']);
    await calls(3);
    expect(on.stage.pod.calls.map(text).sort()).toEqual(['a', 'b', 'c']);
    await until(() =>
      expect(on.stage.dispatcher.stats()[0]).toMatchObject({ done: 3, redelivered: 0, inFlight: 0 }),
    );
    await empty(queue);
  });

  test('a function that answers more than anybody reads is called to its end before its message is done', async () => {
    const { name, queue } = await serve({ prefetch: 1, maxAttempts: 2 });
    let rows = 0;
    on.stage.pod.handle = () => async (response) => {
      for (let row = 0; row < 60; row += 1) {
        if (response.destroyed) return;
        response.write('x'.repeat(200));
        await new Promise((resolve) => setTimeout(resolve, 5));
        rows += 1;
      }
      // The second message's call breaks off at the end of its first try.
      if (on.stage.pod.calls.length === 2) response.destroy();
      else response.end();
    };
    await on.stage.publish(name, ['a', 'b']);
    await until(() => expect(on.stage.dispatcher.stats()[0]).toMatchObject({ done: 2, retried: 1 }));
    expect(rows).toBe(180);
    expect(on.stage.pod.calls.map(text)).toEqual(['a', 'b', 'b']);
    await empty(queue);
  });

  test('the function is told of the message, and of the call', async () => {
    const { name } = await serve({ timeoutSeconds: 7 });
    const trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    await on.stage.publish(name, ['{"a":1}'], {
      contentType: 'application/json',
      correlationId: 'c-1',
      messageId: 'm-1',
      headers: { own: 'ж', traceparent: trace },
    });
    await calls(1);
    const [call] = on.stage.pod.calls;
    expect(call?.headers).toMatchObject({
      'x-sless-trigger': 'event',
      'x-sless-trigger-name': name,
      'x-sless-timeout-ms': '7000',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'content-length': '7',
      traceparent: trace,
    });
    expect(call?.headers['content-type']).toBeUndefined();
    expect(call?.message).toEqual({
      exchange: '',
      routingKey: `team.${name}`,
      queue: name,
      attempt: 1,
      redelivered: false,
      deliveryMode: 2,
      contentType: 'application/json',
      correlationId: 'c-1',
      messageId: 'm-1',
      headers: { own: 'ж', traceparent: trace },
    });
  });

  test.each([500, 503, 408])(
    'after %i it is tried again, later each time, until it is dealt with',
    async (status) => {
      const { name, queue } = await serve({ maxAttempts: 5 });
      on.stage.pod.handle = ({ message }) => ((message.attempt as number) < 4 ? status : 200);
      await on.stage.publish(name, ['a'], { expiration: '60000', headers: { own: 1 } });
      await until(() => expect(on.stage.dispatcher.stats()[0]).toMatchObject({ done: 1, retried: 3 }));
      const { calls: made } = on.stage.pod;
      expect(made.map(({ message }) => message.attempt)).toEqual([1, 2, 3, 4]);
      const waits = made.slice(1).map((call, index) => call.at - (made[index]?.at ?? 0));
      for (const [index, wait] of waits.entries()) expect(wait).toBeGreaterThanOrEqual(75 * 2 ** index);
      const { attempt: _, ...first } = made[0]?.message ?? {};
      for (const { message } of made) expect(message).toMatchObject(first);
      const common = { namespace: 'team', trigger: 'event', triggerName: name, bytesIn: 1 };
      expect(on.stage.records).toMatchObject([
        ...[1, 2, 3].map((attempt) => ({ ...common, attempt, outcome: 'error', status })),
        { ...common, attempt: 4, outcome: 'ok', status: 200 },
      ]);
      expect(on.stage.records.map(({ requestId }) => requestId)).toEqual(
        made.map(({ headers }) => headers['x-request-id']),
      );
      expect(made[0]?.headers.traceparent).toContain(on.stage.records[0]?.traceId);
      await empty(queue);
    },
  );

  test('an attempt that ends without an answer counts: the function may have died of it', async () => {
    const { name, dead } = await serve({ maxAttempts: 2 });
    on.stage.pod.handle = () => {
      throw new Error('dies');
    };
    await on.stage.publish(name, ['a']);
    await until(() => expect(on.stage.dispatcher.stats()[0]?.deadLettered).toBe(1));
    const [letter] = await on.broker.drain(dead);
    expect(letter?.headers).toMatchObject({ 'x-sless-reason': 'UpstreamInvalid', 'x-sless-attempts': 2 });
    expect(on.stage.records).toMatchObject(
      [1, 2].map((attempt) => ({ attempt, outcome: 'failed', reason: 'UpstreamInvalid' })),
    );
  });

  test('a call over its time counts, and its connection is cut', async () => {
    const { name, dead } = await serve({ maxAttempts: 1, timeoutSeconds: 1 });
    on.stage.pod.handle = () => new Promise(() => {});
    await on.stage.publish(name, ['a']);
    await until(() => expect(on.stage.dispatcher.stats()[0]?.deadLettered).toBe(1));
    const [letter] = await on.broker.drain(dead);
    expect(letter?.headers).toMatchObject({ 'x-sless-reason': 'FunctionTimeout' });
  });

  test('attempts used up: it lies in the dead-letter queue, with all it had and why', async () => {
    const { name, queue, dead, consumer } = await serve({ maxAttempts: 3 });
    on.stage.pod.handle = () => 500;
    await on.stage.publish(name, ['a'], {
      headers: { own: 'kept' },
      correlationId: 'c',
      userId: 'guest',
      CC: ['team.elsewhere'],
    });
    await until(() => expect(on.stage.dispatcher.stats()[0]?.deadLettered).toBe(1));
    expect(on.stage.pod.calls.length).toBe(3);
    expect(await on.broker.drain(dead)).toEqual([
      {
        body: 'a',
        headers: expect.objectContaining({
          own: 'kept',
          'x-sless-reason': 'FunctionError',
          'x-sless-detail': 'the function answered 500: said by the function',
          'x-sless-attempts': 3,
          'x-sless-queue': name,
          'x-sless-trigger': name,
          'x-sless-namespace': 'team',
          'x-sless-function': consumer.function,
        }),
      },
    ]);
    await empty(queue);
  });

  test.each([400, 404, 422, 301])(
    '%i is final: the dead-letter queue that the Trigger names',
    async (status) => {
      const deadLetterQueue = `letters${on.number}`;
      const { name, queue } = await serve({ deadLetterQueue });
      on.stage.pod.handle = () => status;
      await on.stage.publish(name, ['a']);
      await until(() => expect(on.stage.dispatcher.stats()[0]?.deadLettered).toBe(1));
      const letters = await on.broker.drain(`team.${deadLetterQueue}`);
      expect(letters.map(({ headers }) => headers['x-sless-reason'])).toEqual(['FunctionRefused']);
      expect(on.stage.pod.calls.length).toBe(1);
      await empty(queue);
    },
  );

  test('a failing message holds nobody up, and prefetch 1 keeps the order of the rest', async () => {
    const { name } = await serve({ prefetch: 1 });
    on.stage.pod.handle = (call) => (text(call) === 'bad' && call.message.attempt === 1 ? 500 : 200);
    await on.stage.publish(name, ['bad', '1', '2', '3', '4', '5']);
    await calls(7);
    expect(on.stage.pod.calls.map(text).filter((one) => one !== 'bad')).toEqual(['1', '2', '3', '4', '5']);
    expect(on.stage.pod.running.most).toBe(1);
  });

  test('no more calls at once than the prefetch, retries included', async () => {
    const { name } = await serve({ prefetch: 3, maxAttempts: 5 });
    on.stage.pod.handle = async ({ message }) => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return (message.attempt as number) < 3 ? 500 : 200;
    };
    await on.stage.publish(
      name,
      Array.from({ length: 20 }, (_, index) => `${index}`),
    );
    await until(() => expect(on.stage.dispatcher.stats()[0]?.done).toBe(20));
    expect(on.stage.pod.running.most).toBe(3);
  });

  test.each([
    ['is scaled to zero', 0, false, 'FunctionStopped'],
    ['has no pod that is ready', 1, false, 'Deploying'],
  ] as const)(
    'while the function %s nothing is tried, and its state says so',
    async (_what, replicas, ready, reason) => {
      const { name, consumer } = await serve();
      await on.stage.publish(name, ['a']);
      await calls(1);
      on.stage.scale(replicas, ready);
      await until(() => expect(on.stage.stateOf(consumer)).toMatchObject({ connected: true, reason }));
      await on.stage.publish(name, ['b', 'c']);
      const { messageCount } = await on.broker.channel.checkQueue(`team.${name}`);
      expect(messageCount).toBe(2);
      expect(on.stage.pod.calls.length).toBe(1);
      on.stage.scale(1);
      await calls(3);
      await until(() =>
        expect(on.stage.stateOf(consumer)).toEqual({ connected: true, since: expect.any(String) }),
      );
      expect(on.stage.pod.calls.map(({ message }) => message.attempt)).toEqual([1, 1, 1]);
    },
  );

  test('a pod that nobody listens in costs no attempt', async () => {
    const { name } = await serve({ maxAttempts: 1 });
    await on.stage.pod.close();
    await on.stage.publish(name, ['a']);
    await until(() => expect(on.stage.dispatcher.stats()[0]?.refused).toBeGreaterThan(1));
    expect(on.stage.dispatcher.stats()[0]).toMatchObject({ deadLettered: 0, retried: 0 });
  });

  test('a Trigger that goes ends its consumer after what is in flight, and gives the rest back', async () => {
    const { name, queue, consumer } = await serve({ prefetch: 2 });
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    on.stage.pod.handle = async () => {
      await held;
      return 200;
    };
    await on.stage.publish(name, ['a', 'b', 'c', 'd']);
    await calls(2);
    on.stage.unserve(consumer);
    release();
    await until(async () => expect((await on.broker.channel.checkQueue(queue)).consumerCount).toBe(0));
    expect((await on.broker.drain(queue)).map(({ body }) => body)).toEqual(['c', 'd']);
    expect(on.stage.pod.calls.length).toBe(2);
  });

  test('several dispatchers share the work', async () => {
    const second = on.stage.another();
    const { name } = await serve({ prefetch: 5 });
    await until(() =>
      expect([on.stage.dispatcher, second].map((one) => one.stats()[0]?.connected)).toEqual([true, true]),
    );
    await on.stage.publish(
      name,
      Array.from({ length: 200 }, (_, index) => `${index}`),
    );
    await calls(200);
    expect(new Set(on.stage.pod.calls.map(text)).size).toBe(200);
    for (const one of [on.stage.dispatcher, second]) expect(one.stats()[0]?.done).toBeGreaterThan(20);
  });
});
