import type { Cluster, ClusterEvent, Query } from '../../../ports/cluster.ts';
import type { Logger } from '../../../ports/logger.ts';
import { KINDS } from '../../../resources/kube/kinds.ts';
import { LABELS } from '../../../resources/kube/labels.ts';
import type { Feed, RouteTable } from './route-table.ts';

/** The running watches behind a route table. */
export interface RouteWatch {
  /** Whether every kind has been seen once; from then on the last known routes stand, whatever happens. */
  ready(): boolean;
  close(): void;
}

interface WatchDeps {
  readonly cluster: Pick<Cluster, 'watch'>;
  readonly logger: Logger;
}

/**
 * Keeps the table by watches. Slices count only with the label of our own Services, which Kubernetes copies onto
 * them: a namesake's endpoints are never called, and a cluster's other slices are not even sent.
 */
export function watchRoutes(table: RouteTable, { cluster, logger }: WatchDeps): RouteWatch {
  const feeds: readonly (readonly [Query, Feed])[] = [
    [{ kind: KINDS.Namespace, labels: { [LABELS.tenant]: 'true' } }, table.namespaces],
    [{ kind: KINDS.Function }, table.functions],
    [{ kind: KINDS.Trigger }, table.triggers],
    [{ kind: KINDS.EndpointSlice, labels: { [LABELS.component]: 'server' } }, table.slices],
  ];
  const synced = new Set<Feed>();
  const hear = (kind: string, feed: Feed, event: ClusterEvent): void => {
    if (event.type === 'applied') feed.apply(event.object);
    else if (event.type === 'deleted') feed.remove(event.object);
    else if (event.type === 'lost') {
      logger.warn({ kind, err: event.error }, 'watch lost: the last known routes stand');
    } else {
      feed.reset(event.objects);
      synced.add(feed);
    }
  };
  const subscriptions = feeds.map(([query, feed]) =>
    cluster.watch(query, (event) => hear(query.kind.kind, feed, event)),
  );
  return {
    ready: () => synced.size === feeds.length,
    close() {
      for (const subscription of subscriptions) subscription.close();
    },
  };
}
