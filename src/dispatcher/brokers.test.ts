import { expect, test } from 'vitest';
import type { KubeObject } from '../resources/kube/object.ts';
import type { Consumer } from '../resources/trigger/consumer.ts';
import { type BrokerSettings, subscriptionOf } from './brokers.ts';

const consumer = (changes: Partial<Consumer> = {}): Consumer => ({
  namespace: 'team',
  trigger: 'orders',
  triggerUid: 'u',
  queue: 'incoming',
  function: 'f',
  prefetch: 7,
  maxAttempts: 5,
  timeoutSeconds: 60,
  ...changes,
});
const SETTINGS: BrokerSettings = {
  url: async () => 'amqp://shared',
  queueTemplate: '{namespace}.{queue}',
  allowedHosts: ['mq.example.org', '*.brokers.example.org'],
};
const NOTHING = { get: async () => undefined };
const secretOf = (data: Record<string, string> | undefined) => ({
  get: async (): Promise<KubeObject> => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'fn-mq', namespace: 'team' },
    ...(data && { data }),
  }),
});
const base64 = (text: string): string => Buffer.from(text).toString('base64');

test('a queue is called by the template, the dead letters by the Trigger or by it too', async () => {
  const made = subscriptionOf(consumer(), SETTINGS, NOTHING);
  expect(made).toMatchObject({
    owner: 'team.orders',
    queue: 'team.incoming',
    deadLetterQueue: 'sless.dead.team.orders',
    prefetch: 7,
  });
  expect([made.broker.id, await made.broker.url()]).toEqual(['team', 'amqp://shared']);
  const named = consumer({ deadLetterQueue: 'letters', queue: '$&{namespace}' });
  expect(subscriptionOf(named, SETTINGS, NOTHING)).toMatchObject({
    queue: 'team.$&{namespace}',
    deadLetterQueue: 'team.letters',
  });
});

test('names that belong to the broker, to sless or to nobody are refused; own dead letters are not', () => {
  const plain = { ...SETTINGS, queueTemplate: '{queue}' };
  for (const queue of ['amq.gen-x', 'sless.retry.team.orders', 'sless.dead.other.orders', 'ж'.repeat(128)])
    expect(() => subscriptionOf(consumer({ queue }), plain, NOTHING)).toThrow(
      expect.objectContaining({ code: 'InvalidSpec' }),
    );
  expect(() => subscriptionOf(consumer({ deadLetterQueue: 'sless.delay.x' }), plain, NOTHING)).toThrow(
    /is not for triggers/,
  );
  const worker = consumer({ trigger: 'again', queue: 'sless.dead.team.orders' });
  expect(subscriptionOf(worker, plain, NOTHING).queue).toBe('sless.dead.team.orders');
});

test('dead letters are worked off under the template of the chart too, and by no other namespace', () => {
  const worker = consumer({ trigger: 'again', queue: 'sless.dead.team.orders' });
  expect(subscriptionOf(worker, SETTINGS, NOTHING)).toMatchObject({
    queue: 'sless.dead.team.orders',
    deadLetterQueue: 'sless.dead.team.again',
  });
  const stranger = consumer({ namespace: 'other', queue: 'sless.dead.team.orders' });
  expect(subscriptionOf(stranger, SETTINGS, NOTHING).queue).toBe('other.sless.dead.team.orders');
});

test.each([
  ['named', { deadLetterQueue: 'incoming' }],
  ['by default', { queue: 'sless.dead.team.orders' }],
  ['on a broker of its own', { deadLetterQueue: 'incoming', brokerSecret: 'fn-mq' }],
])('a queue that is its own dead-letter queue, %s, is refused', (_how, changes) => {
  expect(() => subscriptionOf(consumer(changes), SETTINGS, NOTHING)).toThrow(
    expect.objectContaining({
      code: 'InvalidSpec',
      message: expect.stringContaining('is its own dead-letter queue'),
    }),
  );
});

test('consumers of two namespaces share no connection', () => {
  const ids = ['team', 'other'].map(
    (namespace) => subscriptionOf(consumer({ namespace }), SETTINGS, NOTHING).broker.id,
  );
  expect(new Set(ids).size).toBe(2);
});

test('without a broker of the installation there is none', async () => {
  const { url: _, ...without } = SETTINGS;
  await expect(subscriptionOf(consumer(), without, NOTHING).broker.url()).rejects.toMatchObject({
    code: 'BrokerUnavailable',
  });
});

test('on a broker of its own a queue is called what the Trigger says', async () => {
  const own = consumer({ brokerSecret: 'fn-mq' });
  const urls = ['amqps://u:p@mq.example.org/v', 'amqp://u:p@A.Brokers.Example.org'];
  for (const url of urls) {
    const made = subscriptionOf(own, SETTINGS, secretOf({ url: base64(`${url}\n`) }));
    expect([made.queue, made.broker.id, await made.broker.url()]).toEqual(['incoming', 'team/fn-mq', url]);
  }
});

test.each([
  ['does not exist', undefined],
  ['has no key url', {}],
  ['does not begin with amqp', { url: base64('http://mq.example.org') }],
  ['the host elsewhere.org', { url: base64('amqp://user:hush@elsewhere.org') }],
  ['the host brokers.example.org', { url: base64('amqp://brokers.example.org') }],
  ['the host mq.example.org.evil.org', { url: base64('amqp://mq.example.org.evil.org') }],
])('a Secret that %s is refused, without a word of its content', async (what, data) => {
  const cluster = data === undefined ? NOTHING : secretOf(data);
  const { broker } = subscriptionOf(consumer({ brokerSecret: 'fn-mq' }), SETTINGS, cluster);
  const error = await broker.url().then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  expect(error).toMatchObject({ code: 'BrokerSecretInvalid', message: expect.stringContaining(what) });
  expect(error?.message).not.toMatch(/hush|user/);
});
