import { shortHash } from '../kube/hash.ts';
import { type ObjectGroups, objectsOf, type SyncRequest } from '../kube/hook.ts';
import { KINDS } from '../kube/kinds.ts';
import { ANNOTATIONS } from '../kube/labels.ts';
import { annotationOf, controllerOf, type KubeObject } from '../kube/object.ts';
import { type FunctionStatus, functionStatusSchema } from './schema.ts';
import { deployedVersion, statusVersion, type Version } from './version.ts';

/** What a sync sees, indexed: the first of its four beats. */
export interface Observed {
  readonly parent: KubeObject;
  readonly status: FunctionStatus;
  readonly related: ObjectGroups;
  readonly deployment: KubeObject | undefined;
  readonly service: KubeObject | undefined;
  /** All that are ours, of whatever name. */
  readonly children: readonly KubeObject[];
  /** Without those that are being deleted: whatever they still say, they will be gone. */
  readonly jobs: readonly KubeObject[];
  /** Triggers that name the function, of whatever type. */
  readonly triggers: readonly KubeObject[];
  /** The last good version: by status, else by the Deployment. */
  readonly current: Version | undefined;
  readonly rebuild: string | undefined;
  readonly restart: string | undefined;
}

const MAX_ANNOTATION = 128;

/**
 * The value of an annotation as the hook takes it. Such values go into names, annotations and status of children, so long
 * ones are replaced by their hash.
 */
export function takenAnnotation(parent: KubeObject, name: string): string | undefined {
  const value = annotationOf(parent, name);
  return value !== undefined && value.length > MAX_ANNOTATION ? shortHash(value) : value;
}

/** Indexes a request. Status is the user's to damage, so one that does not hold up counts as lost. */
export function observe(request: SyncRequest): Observed {
  const { parent, children, related } = request;
  const mine = (kind: typeof KINDS.Job): KubeObject[] =>
    objectsOf(children, kind).filter((child) => isOwn(parent, child));
  const named = (kind: typeof KINDS.Job): KubeObject | undefined =>
    mine(kind).find((child) => child.metadata.name === parent.metadata.name);
  const status = functionStatusSchema.safeParse(parent.status ?? {}).data ?? {};
  const deployment = named(KINDS.Deployment);
  return {
    parent,
    status,
    related,
    deployment,
    service: named(KINDS.Service),
    children: [KINDS.Deployment, KINDS.Service, KINDS.Job].flatMap(mine),
    jobs: mine(KINDS.Job).filter((job) => job.metadata.deletionTimestamp === undefined),
    triggers: objectsOf(related, KINDS.Trigger).filter((trigger) => names(trigger, parent)),
    current: statusVersion(status) ?? deployedVersion(deployment),
    rebuild: takenAnnotation(parent, ANNOTATIONS.rebuild),
    restart: takenAnnotation(parent, ANNOTATIONS.restart),
  };
}

/** A child of a Function that had this name before is not ours, and is about to be collected. */
function isOwn(parent: KubeObject, child: KubeObject): boolean {
  return (
    child.metadata.namespace === parent.metadata.namespace && controllerOf(child)?.uid === parent.metadata.uid
  );
}

/** Labels brought the Trigger here, and labels are the user's to write; its spec decides. */
function names(trigger: KubeObject, parent: KubeObject): boolean {
  const spec = trigger.spec as { readonly functionRef?: unknown } | undefined;
  return (
    trigger.metadata.namespace === parent.metadata.namespace && spec?.functionRef === parent.metadata.name
  );
}

/** Whether the function shall have no pods: it has Triggers, and all of them are off. */
export function isStopped(triggers: readonly KubeObject[]): boolean {
  return triggers.length > 0 && !triggers.some(isEnabled);
}

function isEnabled(trigger: KubeObject): boolean {
  return (trigger.spec as { readonly enabled?: unknown } | undefined)?.enabled !== false;
}
