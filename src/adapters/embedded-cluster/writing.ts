import { isDeepStrictEqual } from 'node:util';
import { SlessError } from '../../errors.ts';
import { definitionOf } from '../../resources/definitions.ts';
import type { KubeObject, ObjectMeta } from '../../resources/kube/object.ts';
import { admitObject } from '../../resources/validate.ts';
import { nextOwners, ownersOf, type Writer } from './field-owners.ts';
import { changeOf, type FieldSet, union } from './field-set.ts';
import { immutableMistakes, type KindRules } from './kind-rules.ts';
import { metadataMistakes } from './metadata-rules.ts';
import { shapeOf } from './shapes.ts';
import { tidy, tidyMetadata, withoutEmptyData } from './tidy.ts';

/** Who writes, and by which rules. */
export interface WriteContext {
  readonly rules: KindRules;
  readonly writer: Writer;
  /** What an apply said, which it then owns. */
  readonly applied?: FieldSet;
  /**
   * Fields that an apply says otherwise than they are, before anything is brought into its usual form: `1024Mi` takes
   * `1Gi` from its owner.
   */
  readonly claimed?: FieldSet;
}

/** The object as it is stored when it is made, all but its resource version. */
export function created(object: KubeObject, uid: string, context: WriteContext): KubeObject {
  const { rules, writer } = context;
  const { status: _, ...wanted } = object;
  const metadata = { ...tidyMetadata(object.metadata), uid, creationTimestamp: writer.time };
  const complete = completed({ ...(wanted as KubeObject), metadata }, undefined, context);
  const generation = rules.generation ? { generation: 1 } : {};
  const status = rules.initialStatus ? { status: rules.initialStatus } : {};
  return withOwners(
    { ...complete, metadata: { ...complete.metadata, ...generation }, ...status },
    undefined,
    context,
  );
}

/**
 * The object as it is stored after an update that leaves the status alone; `before` itself when nothing changes.
 */
export function updated(before: KubeObject, wanted: KubeObject, context: WriteContext): KubeObject {
  const { rules } = context;
  const metadata = { ...systemMetadata(before), ...tidyMetadata(wanted.metadata) };
  const { status, ...rest }: KubeObject = { ...wanted, metadata };
  const kept = rules.statusSubresource ? before.status : status;
  const complete = completed({ ...rest, ...(kept === undefined ? {} : { status: kept }) }, before, context);
  refuse([...immutableMistakes(rules, before, complete), ...newFinalizers(before, complete)], before);
  const counted = withGeneration(before, complete, rules);
  const owned = withOwners(counted, before, context);
  return isDeepStrictEqual(before, owned) ? before : owned;
}

/** The object with that status and nothing else changed; `before` itself when it is the same. */
export function withStatus(before: KubeObject, status: unknown, context: WriteContext): KubeObject {
  const { status: _, ...rest } = before;
  const wanted = { ...rest, ...(status === undefined || status === null ? {} : { status }) } as KubeObject;
  const complete = context.rules.custom ? admitted(wanted, before) : (tidy(wanted) as KubeObject);
  const after = { ...before, status: complete.status };
  if (after.status === undefined) delete (after as { status?: unknown }).status;
  return isDeepStrictEqual(before, after) ? before : after;
}

/** Marked for deletion: what becomes of an object that is deleted while it has finalizers. */
export function deleting(before: KubeObject, context: Pick<WriteContext, 'rules' | 'writer'>): KubeObject {
  const { generation } = before.metadata;
  return {
    ...before,
    metadata: {
      ...before.metadata,
      deletionTimestamp: context.writer.time,
      deletionGracePeriodSeconds: 0,
      ...(generation === undefined ? {} : { generation: generation + 1 }),
    } as ObjectMeta,
  };
}

function completed(object: KubeObject, before: KubeObject | undefined, context: WriteContext): KubeObject {
  const { rules } = context;
  refuse(metadataMistakes(rules.kind, object), object);
  if (rules.custom) return admitted(object, before);
  return withoutEmptyData(tidy(rules.defaults(tidy(object) as KubeObject)) as KubeObject);
}

/**
 * An object of a kind that a CRD defines: schema defaults filled in, unknown fields dropped. What was stored before a rule
 * existed may stay as it is: only a write that touches the spec is held to the rules for it, as the API server does.
 */
function admitted(object: KubeObject, before: KubeObject | undefined): KubeObject {
  const { object: complete, errors } = admitObject(object, before);
  const untouched = before !== undefined && isDeepStrictEqual(before.spec, object.spec);
  refuse(untouched ? errors.filter((line) => line.startsWith('status')) : errors, object);
  const { apiVersion, kind, metadata, spec, status } = complete;
  const known = definitionOf(kind)?.status.safeParse(status).data;
  return { apiVersion, kind, metadata, spec, ...(status === undefined ? {} : { status: known }) };
}

function refuse(mistakes: readonly string[], { kind, metadata }: KubeObject): void {
  if (mistakes.length === 0) return;
  throw new SlessError('Invalid', `${kind} ${metadata.name} is invalid: ${mistakes.join('; ')}`, {
    details: mistakes,
  });
}

function systemMetadata({ metadata }: KubeObject): Partial<ObjectMeta> {
  const { labels, annotations, ownerReferences, finalizers, ...system } = metadata;
  return system;
}

function newFinalizers(before: KubeObject, after: KubeObject): string[] {
  if (before.metadata.deletionTimestamp === undefined) return [];
  const known = new Set(before.metadata.finalizers ?? []);
  return (after.metadata.finalizers ?? [])
    .filter((finalizer) => !known.has(finalizer))
    .map(
      (finalizer) => `metadata.finalizers: ${finalizer} cannot be added while the object is being deleted`,
    );
}

function withGeneration(before: KubeObject, after: KubeObject, rules: KindRules): KubeObject {
  const { generation } = before.metadata;
  if (generation === undefined || isDeepStrictEqual(wantedPart(before, rules), wantedPart(after, rules)))
    return after;
  return { ...after, metadata: { ...after.metadata, generation: generation + 1 } };
}

/** What the generation counts. A Deployment's annotations belong to it: its controller copies them to ReplicaSets. */
function wantedPart({ metadata, status: _, ...rest }: KubeObject, rules: KindRules): object {
  return rules.kind.kind === 'Deployment' ? { ...rest, annotations: metadata.annotations } : rest;
}

function withOwners(object: KubeObject, before: KubeObject | undefined, context: WriteContext): KubeObject {
  const { writer, applied, claimed = {} } = context;
  const { set = {}, removed = {} } = changeOf(
    before ? ownable(before) : {},
    ownable(object),
    shapeOf(object),
  );
  const managedFields = nextOwners(
    ownersOf(before),
    { set: union(set, claimed), removed },
    { ...writer, apiVersion: object.apiVersion, ...(applied ? { applied } : {}) },
  );
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

/** What managers own: everything but what names the object, what the system writes, and the status. */
export function ownable(object: KubeObject): object {
  const { apiVersion: _a, kind: _k, status: _s, metadata, ...rest } = object;
  const { labels, annotations, ownerReferences, finalizers } = metadata;
  const said = Object.entries({ labels, annotations, ownerReferences, finalizers }).filter(
    ([, value]) => value !== undefined,
  );
  return said.length > 0 ? { ...rest, metadata: Object.fromEntries(said) } : rest;
}
