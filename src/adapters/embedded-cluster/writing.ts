import { isDeepStrictEqual } from 'node:util';
import { SlessError } from '../../errors.ts';
import { UNSEEN_STATUS } from '../../resources/definitions.ts';
import type { KubeObject, ObjectMeta } from '../../resources/kube/object.ts';
import { admitObject } from '../../resources/validate.ts';
import type { FieldChange } from './field-change.ts';
import type { Writer } from './field-owners.ts';
import type { FieldSet } from './field-set.ts';
import { immutableMistakes } from './immutable.ts';
import type { KindRules } from './kind-rules.ts';
import { metadataMistakes } from './metadata-rules.ts';
import { nullMistakes, ownSchema, unreadable } from './own-schema.ts';
import { withOwners } from './ownership.ts';
import { senseless } from './sense.ts';
import { shapeOf } from './shapes.ts';
import { tidy, tidyMetadata } from './tidy.ts';

/** Who writes, and by which rules. */
export interface WriteContext {
  readonly rules: KindRules;
  readonly writer: Writer;
  /** What an apply said, which it then owns. */
  readonly applied?: FieldSet;
  /**
   * What an apply to an object that is there changes, before anything is brought into its usual form: `1024Mi` takes `1Gi` from its
   * owner, and nobody owns what defaults fill in.
   */
  readonly change?: FieldChange;
}

/** The object as it is stored when it is made, all but its resource version. */
export function created(object: KubeObject, uid: string, context: WriteContext): KubeObject {
  const { rules, writer } = context;
  const { status: _, ...wanted } = object;
  const metadata = { ...tidyMetadata(object.metadata), uid, creationTimestamp: writer.time };
  const complete = completed({ ...(wanted as KubeObject), metadata }, undefined, context);
  const generation = rules.generation ? { generation: 1 } : {};
  const counted = {
    ...complete,
    metadata: { ...complete.metadata, ...generation },
    ...firstStatus(complete, rules),
  };
  return stored(withOwners(counted, undefined, context), undefined, rules);
}

/** A kind of ours has `UNSEEN_STATUS` itself, not a copy: see `isSame`. */
function firstStatus(object: KubeObject, { custom, initialStatus }: KindRules): { readonly status?: object } {
  if (custom) return { status: UNSEEN_STATUS };
  return initialStatus ? { status: initialStatus(object) } : {};
}

/**
 * Whether there is nothing to write. The API server keeps a new object of ours without a status and fills in the CRD's default whenever
 * it is read; so the first write of any kind, though it changes nothing else, writes that default down and makes a new version.
 */
function isSame(before: KubeObject, after: KubeObject): boolean {
  return before.status !== UNSEEN_STATUS && isDeepStrictEqual(before, after);
}

/** With what nobody owns who writes, as it is kept. */
function stored(object: KubeObject, before: KubeObject | undefined, rules: KindRules): KubeObject {
  return rules.stored(rules.assigned(object, before) as KubeObject) as KubeObject;
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
  const after = stored(withOwners(complete, before, context), before, rules);
  refuse([...immutableMistakes(before, after), ...newFinalizers(before, after)], before);
  const counted = withGeneration(before, after, rules);
  return isSame(before, counted) ? before : counted;
}

/** The object with that status and nothing else changed; `before` itself when it is the same. */
export function withStatus(before: KubeObject, status: unknown, context: WriteContext): KubeObject {
  const { status: _, ...rest } = before;
  const wanted = { ...rest, ...(status === undefined || status === null ? {} : { status }) } as KubeObject;
  const complete = context.rules.custom ? admitted(wanted, before) : (tidy(wanted) as KubeObject);
  const { status: kept } = complete;
  const after = withOwners(
    { ...rest, ...(kept === undefined ? {} : { status: kept }) } as KubeObject,
    before,
    {
      ...context,
      writer: { ...context.writer, subresource: 'status' },
    },
  );
  return isSame(before, after) ? before : after;
}

/** Marked for deletion: what becomes of an object that is deleted while it has finalizers. */
export function deleting(before: KubeObject, context: Pick<WriteContext, 'rules' | 'writer'>): KubeObject {
  const { generation } = before.metadata;
  return {
    ...before,
    ...(before.status === UNSEEN_STATUS ? { status: { ...UNSEEN_STATUS } } : {}),
    metadata: {
      ...before.metadata,
      deletionTimestamp: context.writer.time,
      deletionGracePeriodSeconds: 0,
      ...(generation === undefined ? {} : { generation: generation + 1 }),
    } as ObjectMeta,
  };
}

function completed(object: KubeObject, before: KubeObject | undefined, context: WriteContext): KubeObject {
  const { rules, applied } = context;
  if (rules.custom) refuse(metadataMistakes(rules.kind, object), object);
  if (rules.custom && applied)
    refuse(nullMistakes(object.spec, ownSchema(object)?.properties?.spec, '.spec'), object);
  if (rules.custom) return admitted(object, before);
  const shape = shapeOf(object);
  const said = tidy(object, shape) as KubeObject;
  refuse(metadataMistakes(rules.kind, said), said);
  const whole = rules.defaults(said) as KubeObject;
  refuse(senseless(whole), whole);
  return whole;
}

/**
 * An object of a kind that a CRD defines: schema defaults filled in, unknown fields dropped. What was stored before a rule
 * existed may stay as it is: only a write that touches the spec is held to the rules for it, as the API server does.
 */
function admitted(object: KubeObject, before: KubeObject | undefined): KubeObject {
  const { object: complete, errors } = admitObject(object, before);
  const untouched = before !== undefined && isDeepStrictEqual(before.spec, object.spec);
  refuse(untouched ? errors.filter((line) => line.startsWith('status')) : errors, object);
  const { apiVersion, kind, metadata, spec, status = { ...UNSEEN_STATUS } } = complete;
  return { apiVersion, kind, metadata, spec, status: status === UNSEEN_STATUS ? { ...status } : status };
}

/**
 * An apply of one of our own kinds that the API server could not even read. It says no more then; here what the rules would say next is
 * told with it, so that one answer names every mistake.
 */
export function refuseUnreadable(config: KubeObject): void {
  const mistakes = unreadable(config, ownSchema(config) ?? {});
  if (mistakes.length === 0) return;
  const fields = new Set(mistakes.map(fieldOf));
  refuse([...mistakes, ...admitObject(config).errors.filter((line) => !fields.has(fieldOf(line)))], config);
}

const fieldOf = (mistake: string): string => mistake.slice(0, mistake.indexOf(':'));

/** `Invalid` with one detail a mistake, where there is any. */
export function refuse(mistakes: readonly string[], { kind, metadata }: KubeObject): void {
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

/**
 * What the generation counts. A Deployment's annotations belong to it: its controller copies them to ReplicaSets. So do the labels
 * of an EndpointSlice, which say whose it is.
 */
function wantedPart({ metadata, status: _, ...rest }: KubeObject, { kind }: KindRules): object {
  if (kind.kind === 'Deployment') return { ...rest, annotations: metadata.annotations };
  return kind.kind === 'EndpointSlice' ? { ...rest, labels: metadata.labels } : rest;
}
