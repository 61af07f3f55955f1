import { randomUUID } from 'node:crypto';
import type { Clock } from '../../ports/clock.ts';
import type { DeleteOptions, ObjectRef, PatchOptions } from '../../ports/cluster.ts';
import { groupKey, KINDS } from '../../resources/kube/kinds.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { formatTime } from '../../resources/kube/time.ts';
import { applied, saidFields } from './applied.ts';
import { type Collector, createCollector } from './collector.ts';
import type { Writer } from './field-owners.ts';
import { KIND_RULES, type KindRules } from './kind-rules.ts';
import { isJsonObject, mergePatch } from './merge-patch.ts';
import { undecodable } from './metadata-rules.ts';
import type { ObjectTable } from './object-table.ts';
import * as refusals from './refusals.ts';
import type { Watches } from './watches.ts';
import {
  created,
  deleting,
  refuse,
  refuseUnreadable,
  updated,
  type WriteContext,
  withStatus,
} from './writing.ts';

/** What the API server does with writes, in one turn each: there is no moment at which another write could come between. */
export interface Engine {
  create(object: KubeObject): KubeObject;
  patch(ref: ObjectRef, patch: Readonly<Record<string, unknown>>, options?: PatchOptions): KubeObject;
  replaceStatus(object: KubeObject): KubeObject;
  apply(object: KubeObject, fieldManager: string): KubeObject;
  delete(ref: ObjectRef, options?: DeleteOptions): void;
  readonly collector: Collector;
}

interface EngineDeps {
  readonly table: ObjectTable;
  readonly watches: Watches;
  readonly clock: Clock;
  readonly later: (work: () => void) => void;
  /** The field manager of creates and patches. */
  readonly fieldManager: string;
}

/** Everything a write needs. */
interface Core extends EngineDeps {
  readonly collector: Collector;
}

export function createEngine(deps: EngineDeps): Engine {
  const collector: Collector = createCollector({
    table: deps.table,
    later: deps.later,
    remove: (object) => remove(core, object),
    endNamespace: (namespace) => drop(core, namespace),
    keepOwners: (object, ownerReferences) => {
      const wanted = { ...object, metadata: { ...object.metadata, ownerReferences } };
      update(core, object, wanted);
    },
  });
  const core: Core = { ...deps, collector };
  return {
    collector,
    create: (object) => create(core, toJson(object) as KubeObject),
    patch: (ref, patch, options) => applyPatch(core, ref, { patch, options }),
    replaceStatus: (object) => replaceStatus(core, object),
    apply: (object, fieldManager) => applyObject(core, object, fieldManager),
    delete(ref, options) {
      const object = existing(core, ref);
      if (options?.uid !== undefined && options.uid !== object.metadata.uid)
        throw refusals.conflict(object, 'uid');
      const { resourceVersion } = options ?? {};
      if (resourceVersion !== undefined && resourceVersion !== object.metadata.resourceVersion)
        throw refusals.conflict(object, 'resourceVersion');
      remove(core, object);
    },
  };
}

/** The rules of a kind, or `NotFound` for one that is not served. */
export function rulesFor(kind: { readonly apiVersion: string; readonly kind: string }): KindRules {
  const rules = KIND_RULES.get(groupKey(kind));
  if (!rules) throw refusals.unknownKind(kind);
  return rules;
}

function context(core: Core, object: KubeObject, by: Partial<Writer> = {}): WriteContext {
  const time = formatTime(core.clock.now());
  return {
    rules: rulesFor(object),
    writer: { manager: core.fieldManager, operation: 'Update', time, ...by },
  };
}

function existing(core: Core, ref: ObjectRef): KubeObject {
  rulesFor(ref.kind);
  const object = core.table.find(ref);
  if (!object) throw refusals.notFound(ref);
  return object;
}

function refOf(object: KubeObject, { kind }: KindRules): ObjectRef {
  const { name, namespace } = object.metadata;
  return { kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

function create(core: Core, object: KubeObject, how: WriteContext = context(core, object)): KubeObject {
  if (object.metadata.resourceVersion !== undefined) {
    throw refusals.malformed('metadata.resourceVersion must not be set on an object that is to be created');
  }
  checkScope(object, how.rules);
  checkNamespace(core, object.metadata.namespace);
  const made = created(object, randomUUID(), how);
  if (core.table.find(refOf(object, how.rules))) throw refusals.alreadyExists(object);
  return put(core, undefined, made);
}

/** A namespaced kind names its namespace, another kind has none. */
function checkScope({ metadata }: KubeObject, { kind }: KindRules): void {
  if (kind.namespaced && !metadata.namespace)
    throw refusals.malformed(`a ${kind.kind} needs metadata.namespace`);
  if (!kind.namespaced && metadata.namespace) throw refusals.malformed(`a ${kind.kind} has no namespace`);
}

function checkNamespace(core: Core, name: string | undefined): void {
  if (name === undefined) return;
  const found = core.table.find({ kind: KINDS.Namespace, name });
  if (!found) throw refusals.missingNamespace(name);
  if (found.metadata.deletionTimestamp !== undefined) throw refusals.endingNamespace(name);
}

function put(core: Core, before: KubeObject | undefined, after: KubeObject): KubeObject {
  const kept = core.table.put(after);
  core.watches.tell(before, kept);
  core.collector.written(kept);
  return kept;
}

/** Removes at once, whatever finalizers say. */
function drop(core: Core, object: KubeObject): void {
  const gone = core.table.remove(object);
  core.watches.tell(gone, undefined);
  core.collector.gone(gone);
}

/**
 * Deletes as a client does. An object with finalizers, and a namespace, are marked and go when those are done; so is a Pod, though here
 * nobody is waited for.
 */
function remove(core: Core, object: KubeObject): void {
  const { finalizers, deletionTimestamp } = object.metadata;
  const waits = (finalizers?.length ?? 0) > 0 || object.kind === 'Namespace';
  const isMarked = waits || object.kind === 'Pod';
  const marked = isMarked && deletionTimestamp === undefined ? mark(core, object) : object;
  if (!waits) drop(core, marked);
}

function mark(core: Core, object: KubeObject): KubeObject {
  const marked = deleting(object, context(core, object));
  return put(
    core,
    object,
    object.kind === 'Namespace' ? { ...marked, status: { phase: 'Terminating' } } : marked,
  );
}

function update(core: Core, before: KubeObject, wanted: KubeObject, how = context(core, before)): KubeObject {
  return keep(core, before, updated(before, wanted, how));
}

/** Puts what has become of an object in its place; with its last finalizer, an object that is being deleted goes. */
function keep(core: Core, before: KubeObject, after: KubeObject): KubeObject {
  if (after === before) return before;
  const { deletionTimestamp, finalizers } = after.metadata;
  if (deletionTimestamp === undefined || finalizers?.length || after.kind === 'Namespace')
    return put(core, before, after);
  drop(core, before);
  return after;
}

function applyPatch(
  core: Core,
  ref: ObjectRef,
  { patch, options }: { patch: Readonly<Record<string, unknown>>; options: PatchOptions | undefined },
): KubeObject {
  const before = existing(core, ref);
  const wanted = mergePatch(before, toJson(patch)) as KubeObject;
  refuse(undecodable(wanted), wanted);
  checkIdentity(before, { ...wanted, metadata: { ...wanted.metadata, uid: before.metadata.uid ?? '' } });
  if (wanted.metadata?.uid !== before.metadata.uid) throw refusals.immutableUid(before);
  if (options?.subresource !== 'status') return update(core, before, wanted);
  return setStatus(core, before, wanted.status);
}

function setStatus(core: Core, before: KubeObject, status: unknown): KubeObject {
  const how = context(core, before);
  if (!how.rules.statusSubresource) throw refusals.noStatus(how.rules.kind);
  const after = withStatus(before, status, how);
  return after === before ? before : put(core, before, after);
}

function replaceStatus(core: Core, object: KubeObject): KubeObject {
  const rules = rulesFor(object);
  const before = existing(core, refOf(object, rules));
  if (rules.custom && object.metadata.resourceVersion === undefined) throw refusals.unversioned(before);
  checkIdentity(before, object);
  return setStatus(core, before, toJson(object).status);
}

function applyObject(core: Core, object: KubeObject, manager: string): KubeObject {
  const config = toJson(object) as KubeObject;
  refuseUnreadable(config);
  const { status: _, ...rest } = config;
  const said = rest as KubeObject;
  const how = { ...context(core, object, { manager, operation: 'Apply' }), applied: saidFields(said) };
  checkScope(config, how.rules);
  const found = core.table.find(refOf(object, how.rules));
  if (!found) return create(core, said, how);
  checkIdentity(found, { ...found, metadata: { ...found.metadata, ...config.metadata } });
  const { before, wanted, change } = applied(found, said, how.writer);
  return keep(core, found, updated(before, wanted, { ...how, change }));
}

/** A write that names another object, or another state of it, than the one that is there. */
function checkIdentity(before: KubeObject, wanted: KubeObject): void {
  const { name, namespace, uid, resourceVersion } = isJsonObject(wanted.metadata)
    ? wanted.metadata
    : before.metadata;
  if (wanted.kind !== before.kind || wanted.apiVersion !== before.apiVersion) {
    throw refusals.malformed(
      `kind and apiVersion of ${before.kind} ${before.metadata.name} cannot be changed`,
    );
  }
  if (name !== before.metadata.name || namespace !== before.metadata.namespace) {
    throw refusals.malformed(
      `name and namespace of ${before.kind} ${before.metadata.name} cannot be changed`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== before.metadata.resourceVersion) {
    throw refusals.conflict(before, 'resourceVersion');
  }
  if (uid !== undefined && uid !== before.metadata.uid) throw refusals.conflict(before, 'uid');
}

/** What would have crossed a wire: without undefined members, and nobody else's to change. */
function toJson(value: object): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(value));
}
