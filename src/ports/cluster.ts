import type { Kind } from '../resources/kube/kinds.ts';
import type { KubeObject } from '../resources/kube/object.ts';

/** Which object. `namespace` is absent for kinds that have none. */
export interface ObjectRef {
  readonly kind: Kind;
  readonly namespace?: string;
  readonly name: string;
}

/** Which objects. Without a namespace: of all namespaces. */
export interface Query {
  readonly kind: Kind;
  readonly namespace?: string;
  /** The one object of this name. Whoever may read only that one asks so. */
  readonly name?: string;
  /** Every label must have exactly this value. */
  readonly labels?: Readonly<Record<string, string>>;
}

/**
 * One page of a list. `next` is the cursor of the page after it, absent on the last. A page may hold fewer objects than
 * were asked for, even none, and still have a next.
 */
export interface Page {
  readonly items: readonly KubeObject[];
  readonly next?: string;
}

/**
 * What a watch says. `synced` brings everything that matches and comes first, and again whenever the watch had to start
 * over; what is missing in it is gone. `lost` says that changes may be missed until the next `synced`: the last known
 * state stands.
 */
export type ClusterEvent =
  | { readonly type: 'synced'; readonly objects: readonly KubeObject[] }
  | { readonly type: 'applied'; readonly object: KubeObject }
  | { readonly type: 'deleted'; readonly object: KubeObject }
  | { readonly type: 'lost'; readonly error: Error };

/** Options of a change to one object. */
export interface PatchOptions {
  /** `status` changes nothing but the status, the default everything but it. */
  readonly subresource?: 'status';
}

/** Options of a deletion. */
export interface DeleteOptions {
  /** Delete only the object of this uid; another one of that name is a `Conflict`. */
  readonly uid?: string;
  /** Delete it only as it was read: one that was changed since is a `Conflict`. */
  readonly resourceVersion?: string;
}

/**
 * The Kubernetes API as services need it. All errors are SlessErrors: `NotFound`, `AlreadyExists`, `Conflict`
 * (optimistic locking by `metadata.resourceVersion`), `Invalid` (with one detail a mistake), `Forbidden`, `Gone` (a cursor
 * that is too old), `Unavailable` (of a kind that the cluster does not serve, too). Returned objects are the caller's
 * to keep but not to change.
 */
export interface Cluster {
  /** The object, or `undefined` when there is none. */
  get(ref: ObjectRef): Promise<KubeObject | undefined>;
  /** Objects in the order of their names, at most `limit` a page, 500 where nothing is said. */
  list(query: Query, page?: { readonly limit?: number; readonly cursor?: string }): Promise<Page>;
  create(object: KubeObject): Promise<KubeObject>;
  /** JSON merge patch (RFC 7396). A `metadata.resourceVersion` in it must be the current one. */
  patch(
    ref: ObjectRef,
    patch: Readonly<Record<string, unknown>>,
    options?: PatchOptions,
  ): Promise<KubeObject>;
  /** Deletes in the background. Deleting what is not there is `NotFound`. */
  delete(ref: ObjectRef, options?: DeleteOptions): Promise<void>;
  /** Calls `listener` in order, never twice at once, until the returned handle is closed. */
  watch(query: Query, listener: (event: ClusterEvent) => void): Subscription;
}

/** A running watch. Closing it twice is allowed. */
export interface Subscription {
  close(): void;
}

/** What a controller needs beyond that, namely the sync loop of local mode. */
export interface ControllerCluster extends Cluster {
  /** Server-side apply as this field manager, with force: creates, or changes the fields that the manager owns. */
  apply(object: KubeObject, fieldManager: string): Promise<KubeObject>;
  /** Replaces `.status` whole (PUT on the subresource); a stale `metadata.resourceVersion` is a `Conflict`. */
  replaceStatus(object: KubeObject): Promise<KubeObject>;
}
