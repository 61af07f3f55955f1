import type { Readable } from 'node:stream';

/** A stored object, without its bytes. */
export interface StoredObject {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly modifiedAt: Date;
}

/**
 * Bytes under keys such as `contexts/{namespace}/{name}/{ts}.tar.gz`. An object is there whole or not at all. Errors are
 * SlessErrors: `NotFound`, `InvalidRequest` (a key that is empty, absolute, has `.`, `..` or empty segments or control
 * characters), `Unavailable`.
 */
export interface ObjectStore {
  /** Stores or replaces. `size` is the exact length of `body` in bytes; a body of another length fails and stores nothing. */
  put(key: string, body: Readable | Uint8Array, options: { readonly size: number }): Promise<void>;
  /** The bytes as a stream; fails with `NotFound`. Destroying the stream ends the transfer. */
  get(key: string): Promise<StoredObject & { readonly body: Readable }>;
  /** What is there under a key, or `undefined`. */
  head(key: string): Promise<StoredObject | undefined>;
  /** All objects whose key begins with `prefix`, in the order of their keys' bytes. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** Deleting what is not there is fine. */
  delete(key: string): Promise<void>;
}
