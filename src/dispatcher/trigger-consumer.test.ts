import { expect, test } from 'vitest';
import { SlessError } from '../errors.ts';
import type { BusListener, Delivery, Subscription } from '../ports/message-bus.ts';
import type { Condition } from './condition.ts';
import { createLane } from './lane.ts';
import { createTriggerStats } from './stats.ts';
import { TriggerConsumer } from './trigger-consumer.ts';

const CONSUMER = {
  namespace: 'ns',
  trigger: 'orders',
  triggerUid: 'uid',
  queue: 'orders',
  function: 'ship',
  prefetch: 2,
  maxAttempts: 3,
  timeoutSeconds: 1500,
};

const SUBSCRIPTION: Subscription = {
  owner: 'ns.orders',
  queue: 'ns.orders',
  deadLetterQueue: 'dead',
  prefetch: 2,
  broker: { id: '', url: async () => 'amqp://nowhere' },
};

/** A consumer of which the test is the bus, and whose function answers when the test says so. */
function start(status = 200) {
  let listener: BusListener | undefined;
  const answers: (() => void)[] = [];
  const said: Condition[] = [];
  const consumer = new TriggerConsumer(
    SUBSCRIPTION,
    { consumer: CONSUMER, state: { ready: true } },
    {
      bus: {
        consume: (_subscription, told) => {
          listener = told;
          return { pause: async () => {}, resume: () => {}, close: async () => {} };
        },
      },
      invoker: {
        invoke: () =>
          new Promise((resolve) => {
            answers.push(() => resolve({ status, headers: {}, body: new Uint8Array(), truncated: false }));
          }),
      },
      clock: Date,
      monotonic: performance,
      random: () => 0.5,
      newId: () => 'id',
      delays: { firstMs: 1, maxMs: 1 },
      holdMs: 60_000,
      stats: createTriggerStats('ns', 'orders'),
      lane: createLane(),
      logger: { error: () => {} },
      changed: (condition) => void said.push(condition),
    },
  );
  return { consumer, answers, said, listener: listener as unknown as BusListener };
}

interface Message extends Delivery {
  lost: boolean;
  released: number;
}

const message = (more: Partial<Delivery> = {}): Message => {
  const made: Message = {
    body: Buffer.from('m'),
    properties: { exchange: '', routingKey: 'q', redelivered: false, headers: {} },
    queue: 'orders',
    attempts: 0,
    deadLetterings: 0,
    lost: false,
    released: 0,
    ack: () => {},
    release: () => {
      made.released += 1;
    },
    retry: async () => {},
    deadLetter: async () => {},
    park: async () => {},
    ...more,
  };
  return made;
};

test('what is lost with its connection is let go of: what waits at once, what is called for when its call is over', async () => {
  const { answers, listener } = start();
  const [a, b, c, d] = [message(), message(), message(), message()];
  for (const one of [a, b, c, d]) listener.delivered(one);
  await expect.poll(() => answers.length).toBe(2);
  for (const one of [a, b, c, d]) one.lost = true;
  listener.lost?.();
  expect([a, b, c, d].map(({ released }) => released)).toEqual([0, 0, 1, 1]);
  for (const answer of answers) answer();
  await expect.poll(() => [a.released, b.released]).toEqual([1, 1]);
});

test('a message that cannot be understood calls nobody, and becomes a dead letter with the reason', async () => {
  const { answers, listener } = start();
  const letters: object[] = [];
  const deadLetter = async (headers: object) => void letters.push(headers);
  listener.delivered(message({ deadLetter, problem: new Error('its headers make no sense') }));
  listener.delivered(message());
  await expect.poll(() => letters.length).toBe(1);
  expect(letters[0]).toMatchObject({
    'x-sless-reason': 'MessageUnreadable',
    'x-sless-detail': 'its headers make no sense',
  });
  expect(answers.length).toBe(1);
});

test('of several messages that cannot be put away one that could at last says nothing for the others', async () => {
  const { answers, listener, said } = start(500);
  const full = async () => {
    throw new SlessError('QueueRefused', 'is it full?');
  };
  let tries = 0;
  let isRoom = false;
  listener.changed({ connected: true });
  listener.delivered(message({ retry: async () => (tries++ === 0 ? full() : undefined) }));
  listener.delivered(message({ retry: async () => (isRoom ? undefined : full()) }));
  await expect.poll(() => answers.length).toBe(2);
  for (const answer of answers) answer();
  await expect.poll(() => tries, { timeout: 8000 }).toBe(2);
  await expect.poll(() => said.at(-1)).toMatchObject({ reason: 'QueueRefused' });
  const since = said.findIndex((one) => one?.reason === 'QueueRefused');
  expect(new Set(said.slice(since).map((one) => one?.reason))).toEqual(new Set(['QueueRefused']));
  isRoom = true;
  await expect.poll(() => said.at(-1), { timeout: 8000 }).toEqual({ connected: true });
}, 20_000);
