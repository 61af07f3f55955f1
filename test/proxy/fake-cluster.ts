import type { Cluster, ClusterEvent, Query, Subscription } from '../../src/ports/cluster.ts';
import type { KubeObject } from '../../src/resources/kube/object.ts';

/** A cluster that can only be watched, for tests that say what is in it. */
export interface FakeCluster extends Pick<Cluster, 'watch'> {
  apply(...objects: KubeObject[]): void;
  remove(object: KubeObject): void;
  /** All watches are told that they may miss something. */
  lose(): void;
  /** All watches start over. */
  resync(): void;
}

const keyOf = (object: KubeObject): string =>
  `${object.kind}/${object.metadata.namespace ?? ''}/${object.metadata.name}`;

const matches = (query: Query, object: KubeObject): boolean =>
  object.kind === query.kind.kind &&
  (query.namespace === undefined || query.namespace === object.metadata.namespace) &&
  Object.entries(query.labels ?? {}).every(([name, value]) => object.metadata.labels?.[name] === value);

export function createFakeCluster(): FakeCluster {
  const objects = new Map<string, KubeObject>();
  const watches = new Map<(event: ClusterEvent) => void, Query>();
  const synced = (query: Query): ClusterEvent => ({
    type: 'synced',
    objects: [...objects.values()].filter((object) => matches(query, object)),
  });
  return {
    apply(...applied) {
      for (const object of applied) {
        const before = objects.get(keyOf(object));
        objects.set(keyOf(object), object);
        for (const [listener, query] of watches) {
          if (matches(query, object)) listener({ type: 'applied', object });
          else if (before !== undefined && matches(query, before)) listener({ type: 'deleted', object });
        }
      }
    },
    remove(object) {
      objects.delete(keyOf(object));
      for (const [listener, query] of watches) {
        if (matches(query, object)) listener({ type: 'deleted', object });
      }
    },
    lose() {
      for (const listener of watches.keys()) listener({ type: 'lost', error: new Error('watch cut') });
    },
    resync() {
      for (const [listener, query] of watches) listener(synced(query));
    },
    watch(query, listener): Subscription {
      watches.set(listener, query);
      queueMicrotask(() => listener(synced(query)));
      return { close: () => watches.delete(listener) };
    },
  };
}
