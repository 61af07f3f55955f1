import type { Cluster } from '../../../src/ports/cluster.ts';
import { KINDS } from '../../../src/resources/kube/kinds.ts';

/** The Jobs that there ever were in a namespace. */
export interface JobsSeen {
  /** `name uid` of each, in the order in which they were made. */
  all(): readonly string[];
}

/** Watches the Jobs of a namespace. A build that was made twice would show, however short it lived. */
export function watchJobs(cluster: Pick<Cluster, 'watch'>, namespace: string): JobsSeen & { close(): void } {
  const seen = new Set<string>();
  const watch = cluster.watch({ kind: KINDS.Job, namespace }, (event) => {
    if (event.type !== 'applied') return;
    const { name, uid } = event.object.metadata;
    seen.add(`${name} ${uid}`);
  });
  return { all: () => [...seen], close: () => watch.close() };
}
