import { z } from 'zod';
import type { Cluster, ClusterEvent } from '../ports/cluster.ts';
import type { Logger } from '../ports/logger.ts';
import { KINDS } from '../resources/kube/kinds.ts';
import { LABELS } from '../resources/kube/labels.ts';
import { controllerOf, type KubeObject } from '../resources/kube/object.ts';
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
  /**
   * Told of all that are wanted, by `{namespace}.{trigger}`, once both kinds are known and on every change, and of which of them anything
   * may have changed. The map goes on changing.
   */
  readonly changed: (wanted: ReadonlyMap<string, Wanted>, touched: ReadonlySet<string>) => void;
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
  const stores = { configMaps: new Map<string, KubeObject>(), triggers: new Map<string, KubeObject>() };
  const synced = new Set<Map<string, KubeObject>>();
  const wanted = new Map<string, Wanted>();
  /** Looks at these Triggers again; at thousands of others would take tenths of a second for each event. */
  const lookAt = (triggers: ReadonlyMap<string, TriggerName>): void => {
    for (const [key, name] of triggers) {
      const found = wantedOf(name, stores);
      if (found === undefined) wanted.delete(key);
      else wanted.set(key, found);
    }
    changed(wanted, new Set(triggers.keys()));
  };
  const hear = (store: Map<string, KubeObject>, kind: Kind, event: ClusterEvent): void => {
    if (event.type === 'lost') {
      logger.warn({ kind, err: event.error }, 'watch lost: the last known consumers go on');
      return;
    }
    if (event.type === 'synced') {
      const before = [...store.values()];
      store.clear();
      for (const object of event.objects) store.set(keyOf(object), object);
      const isFirst = synced.size < 2;
      synced.add(store);
      if (synced.size < 2) return;
      lookAt(
        isFirst
          ? triggersOf(stores.configMaps.values(), 'ConfigMap')
          : triggersOf([...before, ...event.objects], kind),
      );
      return;
    }
    const key = keyOf(event.object);
    const before = store.get(key);
    if (event.type === 'applied') store.set(key, event.object);
    else store.delete(key);
    const objects = before === undefined ? [event.object] : [before, event.object];
    if (synced.size === 2) lookAt(triggersOf(objects, kind));
  };
  const subscriptions = [
    cluster.watch({ kind: KINDS.ConfigMap, labels: { [LABELS.consumer]: 'true' } }, (event) =>
      hear(stores.configMaps, 'ConfigMap', event),
    ),
    cluster.watch({ kind: KINDS.Trigger }, (event) => hear(stores.triggers, 'Trigger', event)),
  ];
  return {
    ready: () => synced.size === 2,
    close: () => {
      for (const subscription of subscriptions) subscription.close();
    },
  };
}

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace}/${metadata.name}`;

type Kind = 'ConfigMap' | 'Trigger';

interface TriggerName {
  readonly namespace: string;
  readonly name: string;
}

/** The Triggers that these objects are, or belong to, by `{namespace}.{trigger}`. */
function triggersOf(objects: Iterable<KubeObject>, kind: Kind): Map<string, TriggerName> {
  return new Map(
    [...objects].flatMap((object): [string, TriggerName][] => {
      const { namespace = '' } = object.metadata;
      const name = kind === 'Trigger' ? object.metadata.name : controllerOf(object)?.name;
      return name === undefined ? [] : [[`${namespace}.${name}`, { namespace, name }]];
    }),
  );
}

interface Stores {
  readonly configMaps: ReadonlyMap<string, KubeObject>;
  readonly triggers: ReadonlyMap<string, KubeObject>;
}

function wantedOf({ namespace, name }: TriggerName, { configMaps, triggers }: Stores): Wanted | undefined {
  const trigger = triggers.get(`${namespace}/${name}`);
  if (trigger?.metadata.uid === undefined) return undefined;
  const named = consumerName({ trigger: name, triggerUid: trigger.metadata.uid });
  const configMap = configMaps.get(`${namespace}/${named}`);
  if (configMap === undefined || configMap.metadata.deletionTimestamp !== undefined) return undefined;
  const consumer = readConsumer(configMap);
  if (consumer === undefined || consumer.trigger !== name || !agrees(consumer, trigger)) return undefined;
  return { consumer, configMap };
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
