import type { Clock } from '../../ports/clock.ts';
import type { ControllerCluster } from '../../ports/cluster.ts';
import type { Logger } from '../../ports/logger.ts';
import { KINDS } from '../../resources/kube/kinds.ts';
import { createEngine, rulesFor } from './engine.ts';
import { createObjectTable } from './object-table.ts';
import { pageOf } from './paging.ts';
import * as refusals from './refusals.ts';
import type { StateStore } from './state-store.ts';
import { createWatches } from './watches.ts';

export interface EmbeddedClusterDeps {
  readonly store: StateStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Runs what deletes in the background. Tests hold it back; by default it is the event loop's next turn. */
  readonly later?: (work: () => void) => void;
  /** The name under which creates and patches appear in `managedFields`, by default as the Kubernetes adapter's. */
  readonly fieldManager?: string;
}

const FIELD_MANAGER = 'sless';

/** The cluster port kept by this process alone, see docs/adr/0009-embedded-mode.md. */
export interface EmbeddedCluster extends ControllerCluster {
  /** Breaks every watch until the returned function is called: what a lost connection looks like to who watches. */
  interruptWatches(): () => void;
  /** Whether nothing is left to be deleted in the background and every event was delivered. */
  quiet(): boolean;
  /** Ends all watches and the store; whatever is asked afterwards is `Unavailable`. */
  close(): void;
}

/**
 * A cluster over what the store has kept, with the namespace `default` as every cluster has one. Writes are durable when
 * their promise resolves.
 */
export function createEmbeddedCluster(deps: EmbeddedClusterDeps): EmbeddedCluster {
  const table = createObjectTable(deps.store);
  const watches = createWatches((query) => table.select(query), deps.logger);
  const later = deps.later ?? ((work) => setImmediate(work));
  let closed = false;
  const engine = createEngine({
    table,
    watches,
    clock: deps.clock,
    fieldManager: deps.fieldManager ?? FIELD_MANAGER,
    later: (work) => later(() => closed || work()),
  });
  const asked = async <T>(answer: () => T): Promise<T> => {
    if (closed) throw refusals.closed();
    return answer();
  };
  if (!table.find({ kind: KINDS.Namespace, name: 'default' })) {
    engine.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
  }
  engine.collector.sweep();
  return {
    get: (ref) => asked(() => rulesFor(ref.kind) && table.find(ref)),
    list: (query, page) => asked(() => rulesFor(query.kind) && pageOf(table.select(query), page)),
    create: (object) => asked(() => engine.create(object)),
    patch: (ref, patch, options) => asked(() => engine.patch(ref, patch, options)),
    delete: (ref, options) => asked(() => engine.delete(ref, options)),
    apply: (object, fieldManager) => asked(() => engine.apply(object, fieldManager)),
    replaceStatus: (object) => asked(() => engine.replaceStatus(object)),
    watch: (query, listener) => watches.add(query, listener),
    interruptWatches: () => watches.interrupt(),
    quiet: () => watches.quiet() && engine.collector.quiet(),
    close() {
      if (closed) return;
      closed = true;
      watches.closeAll();
      deps.store.close();
    },
  };
}
