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
    // A watch that had to start over tells of what came meanwhile in its list alone.
    const told = event.type === 'applied' ? [event.object] : event.type === 'synced' ? event.objects : [];
    for (const { metadata } of told) seen.add(`${metadata.name} ${metadata.uid}`);
  });
  return { all: () => [...seen], close: () => watch.close() };
}
