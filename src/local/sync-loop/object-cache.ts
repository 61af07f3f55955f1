import type { Cluster, ClusterEvent } from '../../ports/cluster.ts';
import type { Kind } from '../../resources/kube/kinds.ts';
import { controllerOf, type KubeObject } from '../../resources/kube/object.ts';
import { type Selector, selects } from './selector.ts';

/** What became of an object: made without `before`, gone without `after`. */
export interface CacheChange {
  readonly before?: KubeObject;
  readonly after?: KubeObject;
}

/** Which objects of a cache. */
export interface CacheQuery {
  readonly namespace?: string | undefined;
  readonly selector?: Selector | null | undefined;
  readonly names?: readonly string[] | undefined;
}

/**
 * The objects of one kind as a watch has told them: behind the cluster, and not in step with the caches of other kinds,
 * as the informers of Metacontroller are.
 */
export interface ObjectCache {
  readonly kind: Kind;
  /** Whether everything was told once. */
  synced(): boolean;
  /** Resolves when it was. */
  readonly ready: Promise<void>;
  get(namespace: string | undefined, name: string): KubeObject | undefined;
  find(query: CacheQuery): KubeObject[];
  /** Objects whose controller has that uid. */
  controlledBy(uid: string): KubeObject[];
  onChange(listener: (change: CacheChange) => void): void;
  close(): void;
}

/** Hands a cache what its watch says; tests hold it back. The order must be kept. */
export type Gate = (kind: Kind, deliver: () => void) => void;

export function createObjectCache(
  deps: { readonly cluster: Pick<Cluster, 'watch'>; readonly gate: Gate },
  kind: Kind,
): ObjectCache {
  const index = createIndex();
  const listeners: ((change: CacheChange) => void)[] = [];
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  let synced = false;
  const change = (before: KubeObject | undefined, after: KubeObject | undefined) => {
    if (before?.metadata.resourceVersion === after?.metadata.resourceVersion) return;
    if (before) index.remove(before);
    if (after) index.add(after);
    const what = { ...(before ? { before } : {}), ...(after ? { after } : {}) };
    for (const listener of listeners) listener(what);
  };
  const take = (event: ClusterEvent) => {
    if (event.type === 'applied') change(index.same(event.object), event.object);
    if (event.type === 'deleted') change(index.same(event.object), undefined);
    if (event.type !== 'synced') return;
    const told = new Set(event.objects.map(keyOf));
    for (const object of index.all()) if (!told.has(keyOf(object))) change(object, undefined);
    for (const object of event.objects) change(index.same(object), object);
    synced = true;
    resolve();
  };
  const watch = deps.cluster.watch({ kind }, (event) => deps.gate(kind, () => take(event)));
  return {
    kind,
    synced: () => synced,
    ready,
    get: (namespace = '', name) => index.named(namespace, name),
    find(asked) {
      // Objects without a namespace lie in the index under an empty one.
      const query = kind.namespaced ? asked : { ...asked, namespace: '' };
      return index.candidates(query).filter((object) => isWanted(query, object));
    },
    controlledBy: (uid) => index.controlledBy(uid),
    onChange: (listener) => void listeners.push(listener),
    close: () => watch.close(),
  };
}

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;

function isWanted({ namespace, selector, names }: CacheQuery, { metadata }: KubeObject): boolean {
  if (namespace !== undefined && metadata.namespace !== undefined && metadata.namespace !== namespace)
    return false;
  if (names?.length && !names.includes(metadata.name)) return false;
  return selects(selector, metadata.labels);
}

type Bucket = Map<string, KubeObject>;

/** Objects by namespace and name, by each label within a namespace, and by controller: related objects are found without a walk. */
function createIndex() {
  const names: Bucket = new Map();
  const buckets = new Map<string, Bucket>();
  const empty: Bucket = new Map();
  const bucketsOf = (object: KubeObject): string[] => {
    const { namespace = '', labels = {} } = object.metadata;
    const controller = controllerOf(object)?.uid;
    return [
      `namespace ${namespace}`,
      ...Object.entries(labels).map(([key, value]) => labelBucket(namespace, key, value)),
      ...(controller === undefined ? [] : [`controller ${controller}`]),
    ];
  };
  return {
    all: () => [...names.values()],
    named: (namespace: string, name: string) => names.get(`${namespace}/${name}`),
    same: (object: KubeObject) => names.get(keyOf(object)),
    controlledBy: (uid: string) => [...(buckets.get(`controller ${uid}`) ?? empty).values()],
    candidates({ namespace, selector, names: wanted }: CacheQuery): KubeObject[] {
      if (namespace === undefined) return [...names.values()];
      if (wanted?.length) return wanted.flatMap((name) => names.get(`${namespace}/${name}`) ?? []);
      const [label] = Object.entries(selector?.matchLabels ?? {});
      const bucket = label ? labelBucket(namespace, label[0], label[1]) : `namespace ${namespace}`;
      return [...(buckets.get(bucket) ?? empty).values()];
    },
    add(object: KubeObject) {
      names.set(keyOf(object), object);
      for (const name of bucketsOf(object)) {
        const bucket = buckets.get(name) ?? new Map();
        buckets.set(name, bucket.set(keyOf(object), object));
      }
    },
    remove(object: KubeObject) {
      names.delete(keyOf(object));
      for (const name of bucketsOf(object)) {
        buckets.get(name)?.delete(keyOf(object));
        if (buckets.get(name)?.size === 0) buckets.delete(name);
      }
    },
  };
}

const labelBucket = (namespace: string, key: string, value: string) => `label ${namespace} ${key}=${value}`;
