import type { KubeObject } from '../../resources/kube/object.ts';

/** What one write changes. All of it becomes durable together or not at all. */
export interface StateChange {
  /** The cluster's resource version after the change. */
  readonly revision: number;
  readonly put?: { readonly key: string; readonly object: KubeObject };
  readonly remove?: string;
}

/** What was kept of a cluster. */
export interface SavedState {
  readonly revision: number;
  readonly objects: readonly KubeObject[];
}

/**
 * Where the embedded cluster keeps its objects between starts. Synchronous, so that a write of the cluster is decided,
 * durable and visible within one turn: no two writes can interleave.
 */
export interface StateStore {
  load(): SavedState;
  /** Durable against the end of this process when it returns. Throws, and changes nothing, when it cannot be. */
  save(change: StateChange): void;
  close(): void;
}

/** A store that forgets: for tests, and for whoever wants a cluster of one process's life. */
export function createMemoryStore(): StateStore {
  const objects = new Map<string, KubeObject>();
  let revision = 0;
  return {
    load: () => ({ revision, objects: [...objects.values()] }),
    save(change) {
      revision = change.revision;
      if (change.put) objects.set(change.put.key, change.put.object);
      if (change.remove !== undefined) objects.delete(change.remove);
    },
    close: () => undefined,
  };
}
