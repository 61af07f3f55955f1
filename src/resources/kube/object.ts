/** Metadata of a Kubernetes object, as far as sless reads or writes it. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly unknown[];
}

/** A reference from a child to the object that made it. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** Any Kubernetes object, in its JSON form. What lies beside the metadata is read through a schema or a narrower type. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** An object of a kind whose spec and status are known by type. */
export interface TypedObject<Spec, Status> extends KubeObject {
  readonly spec: Spec;
  readonly status?: Status;
}

/** The owner reference that is marked as controller, if there is one. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true);
}

/** An annotation of an object, if it is there and a text. */
export function annotationOf(object: KubeObject | undefined, name: string): string | undefined {
  return textMember(object?.metadata.annotations, name);
}

/** A label of an object, if it is there and a text. */
export function labelOf(object: KubeObject | undefined, name: string): string | undefined {
  return textMember(object?.metadata.labels, name);
}

/** Whoever may write an object may write nonsense into it, and readers must not pass that on. */
function textMember(of: unknown, name: string): string | undefined {
  if (typeof of !== 'object' || of === null || !Object.hasOwn(of, name)) return undefined;
  const value = (of as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' ? value : undefined;
}
