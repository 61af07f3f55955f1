import type { KubeObject } from '../../src/resources/kube/object.ts';
import { buildConsumer, type Consumer } from '../../src/resources/trigger/consumer.ts';

export const NAMESPACE = 'team';

/** A namespace, a tenant's unless it says otherwise. */
export const namespaceOf = (name: string, tenant = 'true'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { 'sless.dev/tenant': tenant } },
});

/** The consumer of a Trigger `orders` on the queue of that name. */
export const consumerOf = (changes: Partial<Consumer> = {}): Consumer => ({
  namespace: NAMESPACE,
  trigger: 'orders',
  triggerUid: `uid-${changes.trigger ?? 'orders'}`,
  queue: 'orders',
  function: 'hello',
  prefetch: 10,
  maxAttempts: 3,
  timeoutSeconds: 10,
  ...changes,
});

export const triggerOf = (consumer: Consumer): KubeObject => {
  const { brokerSecret, deadLetterQueue, queue } = consumer;
  return {
    apiVersion: 'sless.dev/v1alpha1',
    kind: 'Trigger',
    metadata: { namespace: consumer.namespace, name: consumer.trigger, uid: consumer.triggerUid },
    spec: {
      type: 'event',
      functionRef: consumer.function,
      queue,
      enabled: true,
      ...(brokerSecret === undefined ? {} : { brokerSecret }),
      ...(deadLetterQueue === undefined ? {} : { deadLetterQueue }),
    },
  };
};

/** As Metacontroller leaves it: owned by the Trigger. */
export const configMapOf = (consumer: Consumer): KubeObject => {
  const made = buildConsumer(consumer);
  const owner = {
    apiVersion: 'sless.dev/v1alpha1',
    kind: 'Trigger',
    name: consumer.trigger,
    uid: consumer.triggerUid,
    controller: true,
    blockOwnerDeletion: true,
  };
  return { ...made, metadata: { ...made.metadata, ownerReferences: [owner] } };
};
