import type { KubeObject, OwnerReference } from '../../resources/kube/object.ts';
import type { ObjectTable } from './object-table.ts';

/** How much is looked at before others get a turn. */
const BATCH = 200;

interface CollectorDeps {
  readonly table: Pick<ObjectTable, 'findByUid' | 'dependentsOf' | 'inNamespace' | 'everything'>;
  /** Deletes as a client would: finalizers are respected. */
  readonly remove: (object: KubeObject) => void;
  /** Removes a namespace that is empty at last. */
  readonly endNamespace: (namespace: KubeObject) => void;
  /** Replaces the owner references, when some of the owners are gone and others are not. */
  readonly keepOwners: (object: KubeObject, owners: readonly OwnerReference[]) => void;
  /** Runs the work later. */
  readonly later: (work: () => void) => void;
}

/** What deletes in the background: objects whose owners are all gone, and everything in a namespace that is ending. */
export interface Collector {
  /** To be told of every object that was written. */
  written(object: KubeObject): void;
  /** To be told of every object that is gone. */
  gone(object: KubeObject): void;
  /** Looks at everything, as at a start. */
  sweep(): void;
  quiet(): boolean;
}

export function createCollector(deps: CollectorDeps): Collector {
  const { table } = deps;
  const waiting = new Set<string>();
  let scheduled = false;

  const look = (objects: Iterable<KubeObject>) => {
    for (const object of objects) waiting.add(object.metadata.uid ?? '');
    if (scheduled || waiting.size === 0) return;
    scheduled = true;
    deps.later(work);
  };
  const work = () => {
    scheduled = false;
    for (const uid of [...waiting].slice(0, BATCH)) {
      waiting.delete(uid);
      const object = table.findByUid(uid);
      if (object) collect(object, deps);
    }
    look([]);
  };
  const namespaceOf = (object: KubeObject) =>
    [...table.everything()].filter(
      (other) =>
        other.kind === 'Namespace' && other.metadata.name === object.metadata.namespace && isEnding(other),
    );
  return {
    written(object) {
      if (isEnding(object) ? object.kind === 'Namespace' : object.metadata.ownerReferences) look([object]);
    },
    gone(object) {
      look(table.dependentsOf(object.metadata.uid ?? ''));
      if (object.metadata.namespace !== undefined) look(namespaceOf(object));
    },
    sweep: () => look(table.everything()),
    quiet: () => waiting.size === 0,
  };
}

const isEnding = (object: KubeObject) => object.metadata.deletionTimestamp !== undefined;

function collect(object: KubeObject, deps: CollectorDeps): void {
  if (object.kind === 'Namespace') {
    if (isEnding(object)) endNamespace(object, deps);
  } else if (!isEnding(object)) {
    collectOrphan(object, deps);
  }
}

function collectOrphan(object: KubeObject, deps: CollectorDeps): void {
  const owners = object.metadata.ownerReferences ?? [];
  const living = owners.filter((owner) => isLiving(owner, object, deps.table));
  if (living.length === owners.length) return;
  if (living.length === 0) deps.remove(object);
  else deps.keepOwners(object, living);
}

/** An owner lives when its uid does, in the same namespace or without one: references do not reach elsewhere. */
function isLiving(owner: OwnerReference, object: KubeObject, table: CollectorDeps['table']): boolean {
  const found = table.findByUid(owner.uid);
  if (!found || found.kind !== owner.kind || found.metadata.name !== owner.name) return false;
  return found.metadata.namespace === undefined || found.metadata.namespace === object.metadata.namespace;
}

function endNamespace(namespace: KubeObject, deps: CollectorDeps): void {
  const { name } = namespace.metadata;
  for (const object of deps.table.inNamespace(name)) if (!isEnding(object)) deps.remove(object);
  if (deps.table.inNamespace(name).length === 0 && !namespace.metadata.finalizers?.length)
    deps.endNamespace(namespace);
}
