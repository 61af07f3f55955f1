import type { ClusterEvent, Query, Subscription } from '../../ports/cluster.ts';
import type { Logger } from '../../ports/logger.ts';
import { groupKey } from '../../resources/kube/kinds.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { deepFreeze } from './merge-patch.ts';
import { matches } from './object-table.ts';

interface Watch {
  readonly query: Query;
  readonly listener: (event: ClusterEvent) => void;
  readonly queue: ClusterEvent[];
  delivering: boolean;
  connected: boolean;
  closed: boolean;
}

/** Everybody who watches. Events are told after the write that caused them has returned, in the order of the writes. */
export interface Watches {
  add(query: Query, listener: Watch['listener']): Subscription;
  /** Tells whoever matches what became of an object. */
  tell(before: KubeObject | undefined, after: KubeObject | undefined): void;
  /** Breaks every watch, as a lost connection does, until the returned function is called. */
  interrupt(): () => void;
  /** Whether every event was delivered. */
  quiet(): boolean;
  closeAll(): void;
}

export function createWatches(select: (query: Query) => readonly KubeObject[], logger: Logger): Watches {
  const byKind = new Map<string, Set<Watch>>();
  const all = () => [...byKind.values()].flatMap((watches) => [...watches]);

  const push = (watch: Watch, event: ClusterEvent) => {
    if (watch.closed) return;
    watch.queue.push(event);
    if (!watch.delivering) {
      watch.delivering = true;
      setImmediate(() => deliver(watch, logger));
    }
  };
  const synced = (watch: Watch) => push(watch, { type: 'synced', objects: select(watch.query) });
  return {
    add(query, listener) {
      const watch = { query, listener, queue: [], delivering: false, connected: true, closed: false };
      const watches = byKind.get(groupKey(query.kind)) ?? new Set();
      byKind.set(groupKey(query.kind), watches.add(watch));
      synced(watch);
      return { close: () => end(watches, watch) };
    },
    tell(before, after) {
      for (const watch of byKind.get(groupKey(after ?? before ?? NONE)) ?? []) {
        const event = eventOf(watch.query, before, after);
        if (event && watch.connected) push(watch, event);
      }
    },
    interrupt() {
      const broken = all();
      for (const watch of broken) {
        watch.connected = false;
        push(watch, { type: 'lost', error: new Error('the watch was interrupted') });
      }
      return () => {
        for (const watch of broken) {
          watch.connected = true;
          synced(watch);
        }
      };
    },
    quiet: () => all().every((watch) => watch.queue.length === 0),
    closeAll() {
      for (const watches of byKind.values()) for (const watch of watches) end(watches, watch);
    },
  };
}

const NONE = { apiVersion: '', kind: '' };

function end(watches: Set<Watch>, watch: Watch): void {
  watches.delete(watch);
  watch.closed = true;
  watch.queue.length = 0;
}

function deliver(watch: Watch, logger: Logger): void {
  for (let event = watch.queue.shift(); event; event = watch.queue.shift()) {
    try {
      watch.listener(event);
    } catch (error) {
      logger.error({ err: error, event: event.type }, 'a listener of a watch failed');
    }
  }
  watch.delivering = false;
}

function eventOf(
  query: Query,
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): ClusterEvent | undefined {
  if (after && matches(query, after)) return { type: 'applied', object: after };
  if (!before || !matches(query, before)) return undefined;
  return { type: 'deleted', object: after ? lastMatching(before, after) : before };
}

/** What no longer matches, as it was when it did, with the version of the change. */
function lastMatching(before: KubeObject, { metadata: { resourceVersion } }: KubeObject): KubeObject {
  return deepFreeze({
    ...before,
    metadata: { ...before.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
  });
}
