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
   * Told of all that are wanted, by `{namespace}.{trigger}`, once all kinds are known and on every change, and of which of them anything
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

const KIND_COUNT = 3;

/**
 * A ConfigMap counts only while the very Trigger that owns it lives, is enabled, and says the same; and in the namespaces of tenants alone: in
 * others the hook makes none, so one that is there was made by somebody else, or is left from before.
 */
export function watchConsumers({ cluster, logger, changed }: ConsumersDeps): Consumers {
  const stores: Record<Store, Map<string, KubeObject>> = {
    configMaps: new Map(),
    triggers: new Map(),
    namespaces: new Map(),
  };
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
  const touchedBy = (objects: readonly KubeObject[], kind: Kind): Map<string, TriggerName> =>
    triggersOf(kind === 'Namespace' ? within(objects, stores.configMaps) : objects, kind);
  const hear = (store: Map<string, KubeObject>, kind: Kind, event: ClusterEvent): void => {
    if (event.type === 'lost') {
      logger.warn({ kind, err: event.error }, 'watch lost: the last known consumers go on');
      return;
    }
    if (event.type === 'synced') {
      const before = [...store.values()];
      store.clear();
      for (const object of event.objects) store.set(keyOf(object), object);
      const isFirst = synced.size < KIND_COUNT;
      synced.add(store);
      if (synced.size < KIND_COUNT) return;
      lookAt(
        isFirst
          ? triggersOf(stores.configMaps.values(), 'ConfigMap')
          : touchedBy([...before, ...event.objects], kind),
      );
      return;
    }
    const key = keyOf(event.object);
    const before = store.get(key);
    if (event.type === 'applied') store.set(key, event.object);
    else store.delete(key);
    const objects = before === undefined ? [event.object] : [before, event.object];
    if (synced.size === KIND_COUNT) lookAt(touchedBy(objects, kind));
  };
  const subscriptions = [
    cluster.watch({ kind: KINDS.ConfigMap, labels: { [LABELS.consumer]: 'true' } }, (event) =>
      hear(stores.configMaps, 'ConfigMap', event),
    ),
    cluster.watch({ kind: KINDS.Trigger }, (event) => hear(stores.triggers, 'Trigger', event)),
    cluster.watch({ kind: KINDS.Namespace, labels: { [LABELS.tenant]: 'true' } }, (event) =>
      hear(stores.namespaces, 'Namespace', event),
    ),
  ];
  return {
    ready: () => synced.size === KIND_COUNT,
    close: () => {
      for (const subscription of subscriptions) subscription.close();
    },
  };
}

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;

type Kind = 'ConfigMap' | 'Trigger' | 'Namespace';
type Store = 'configMaps' | 'triggers' | 'namespaces';

/** The ConfigMaps of these namespaces. */
function within(
  namespaces: readonly KubeObject[],
  configMaps: ReadonlyMap<string, KubeObject>,
): KubeObject[] {
  const names = new Set(namespaces.map(({ metadata }) => metadata.name));
  return [...configMaps.values()].filter(({ metadata }) => names.has(metadata.namespace ?? ''));
}

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

function wantedOf(
  { namespace, name }: TriggerName,
  { configMaps, triggers, namespaces }: Readonly<Record<Store, ReadonlyMap<string, KubeObject>>>,
): Wanted | undefined {
  if (!namespaces.has(`/${namespace}`)) return undefined;
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
