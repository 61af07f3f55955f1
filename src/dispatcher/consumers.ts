import { z } from 'zod';
import type { Cluster, ClusterEvent } from '../ports/cluster.ts';
import type { Logger } from '../ports/logger.ts';
import { KINDS } from '../resources/kube/kinds.ts';
import { LABELS } from '../resources/kube/labels.ts';
import type { KubeObject } from '../resources/kube/object.ts';
import { type Consumer, consumerName, readConsumer } from '../resources/trigger/consumer.ts';

/** A consumer that is wanted, and the ConfigMap that says so. */
export interface Wanted {
  readonly consumer: Consumer;
  readonly configMap: KubeObject;
}

/** Which consumers are wanted, kept by watches. */
export interface Consumers {
  ready(): boolean;
  close(): void;
}

interface ConsumersDeps {
  readonly cluster: Pick<Cluster, 'watch'>;
  readonly logger: Logger;
  /** Told of all that are wanted, by `{namespace}.{trigger}`, once both kinds are known and on every change. */
  readonly changed: (wanted: ReadonlyMap<string, Wanted>) => void;
}

// What of a live Trigger a ConfigMap must agree with: whoever may write ConfigMaps must not thereby consume another queue.
const specSchema = z.object({
  type: z.literal('event'),
  enabled: z.literal(true).default(true),
  functionRef: z.string(),
  queue: z.string(),
  brokerSecret: z.string().optional(),
  deadLetterQueue: z.string().optional(),
});

/** A ConfigMap counts only while the very Trigger that owns it lives, is enabled, and says the same. */
export function watchConsumers({ cluster, logger, changed }: ConsumersDeps): Consumers {
  const configMaps = new Map<string, KubeObject>();
  const triggers = new Map<string, KubeObject>();
  const synced = new Set<Map<string, KubeObject>>();
  const hear = (store: Map<string, KubeObject>, kind: string, event: ClusterEvent): void => {
    if (event.type === 'lost') {
      logger.warn({ kind, err: event.error }, 'watch lost: the last known consumers go on');
      return;
    }
    if (event.type === 'synced') {
      store.clear();
      for (const object of event.objects) store.set(keyOf(object), object);
      synced.add(store);
    } else if (event.type === 'applied') store.set(keyOf(event.object), event.object);
    else store.delete(keyOf(event.object));
    if (synced.size === 2) changed(wantedOf(configMaps, triggers));
  };
  const subscriptions = [
    cluster.watch({ kind: KINDS.ConfigMap, labels: { [LABELS.consumer]: 'true' } }, (event) =>
      hear(configMaps, 'ConfigMap', event),
    ),
    cluster.watch({ kind: KINDS.Trigger }, (event) => hear(triggers, 'Trigger', event)),
  ];
  return {
    ready: () => synced.size === 2,
    close: () => {
      for (const subscription of subscriptions) subscription.close();
    },
  };
}

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace}/${metadata.name}`;

function wantedOf(
  configMaps: ReadonlyMap<string, KubeObject>,
  triggers: ReadonlyMap<string, KubeObject>,
): Map<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  for (const configMap of configMaps.values()) {
    if (configMap.metadata.deletionTimestamp !== undefined) continue;
    const consumer = readConsumer(configMap);
    if (consumer === undefined || configMap.metadata.name !== consumerName(consumer)) continue;
    const trigger = triggers.get(`${consumer.namespace}/${consumer.trigger}`);
    if (trigger !== undefined && agrees(consumer, trigger))
      wanted.set(`${consumer.namespace}.${consumer.trigger}`, { consumer, configMap });
  }
  return wanted;
}

function agrees(consumer: Consumer, { metadata, spec }: KubeObject): boolean {
  if (metadata.uid !== consumer.triggerUid || metadata.deletionTimestamp !== undefined) return false;
  const said = specSchema.safeParse(spec).data;
  return (
    said !== undefined &&
    said.functionRef === consumer.function &&
    said.queue === consumer.queue &&
    said.brokerSecret === consumer.brokerSecret &&
    said.deadLetterQueue === consumer.deadLetterQueue
  );
}
