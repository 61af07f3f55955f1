import { expect, test } from 'vitest';
import type { KubeObject } from '../kube/object.ts';
import { buildConsumer, type Consumer, consumerStateOf, readConsumer } from './consumer.ts';

const CONSUMER: Consumer = {
  namespace: 'team',
  trigger: 'orders',
  triggerUid: 'uid-1',
  queue: 'incoming',
  function: 'hello',
  prefetch: 10,
  maxAttempts: 5,
  timeoutSeconds: 60,
};

const OWNER = {
  apiVersion: 'sless.dev/v1alpha1',
  kind: 'Trigger',
  name: 'orders',
  uid: 'uid-1',
  controller: true,
  blockOwnerDeletion: true,
};

const owned = (object: KubeObject, annotations = {}): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, ownerReferences: [OWNER], annotations },
});

test('the ConfigMap of a consumer is this, to the letter', () => {
  expect(buildConsumer(CONSUMER)).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: expect.stringMatching(/^orders-c-[0-9a-f]{16}$/),
      namespace: 'team',
      labels: {
        'app.kubernetes.io/managed-by': 'sless',
        'sless.dev/component': 'consumer',
        'sless.dev/consumer': 'true',
        'sless.dev/function': 'hello',
        'sless.dev/trigger': 'orders',
      },
    },
    data: { function: 'hello', maxAttempts: '5', prefetch: '10', queue: 'incoming', timeoutSeconds: '60' },
  });
});

test('what is written is read back', () => {
  const full = { ...CONSUMER, deadLetterQueue: 'dead', brokerSecret: 'fn-broker' };
  for (const consumer of [CONSUMER, full])
    expect(readConsumer(owned(buildConsumer(consumer)))).toEqual(consumer);
});

test('a Trigger made again under its name has another ConfigMap', () => {
  const again = buildConsumer({ ...CONSUMER, triggerUid: 'uid-2' });
  expect(again.metadata.name).not.toBe(buildConsumer(CONSUMER).metadata.name);
});

test('a ConfigMap that no Trigger owns, or that was altered, is no consumer', () => {
  const good = owned(buildConsumer(CONSUMER));
  const data = good.data as Record<string, string>;
  const wrong: KubeObject[] = [
    buildConsumer(CONSUMER),
    { ...good, metadata: { ...good.metadata, ownerReferences: [{ ...OWNER, kind: 'Function' }] } },
    { ...good, metadata: { ...good.metadata, ownerReferences: [{ ...OWNER, apiVersion: 'v1' }] } },
    { ...good, metadata: { ...good.metadata, ownerReferences: [{ ...OWNER, controller: false }] } },
    { ...good, data: undefined },
    ...Object.entries({
      prefetch: '0',
      maxAttempts: '1e9',
      timeoutSeconds: 'soon',
      function: 'a/b',
      queue: '',
    }).map(([name, value]) => ({ ...good, data: { ...data, [name]: value } })),
    { ...good, data: { ...data, brokerSecret: 'sless-broker' } },
  ];
  for (const object of wrong) expect(readConsumer(object), JSON.stringify(object)).toBeUndefined();
});

test('a state is read where it is well formed', () => {
  const state = {
    connected: false,
    reason: 'QueueNotFound',
    message: 'no queue',
    since: '2026-01-02T03:04:05Z',
  };
  const of = (text: string) =>
    consumerStateOf(owned(buildConsumer(CONSUMER), { 'sless.dev/consumer-state': text }));
  expect(of(JSON.stringify(state))).toEqual(state);
  for (const text of ['', '{', 'null', '{}', JSON.stringify({ ...state, since: 'now' })])
    expect(of(text)).toBeUndefined();
  expect(consumerStateOf(buildConsumer(CONSUMER))).toBeUndefined();
});
