/** A Function's address, also of one that is long gone. */
export interface Owner {
  readonly namespace: string;
  readonly name: string;
}

/** Something that nothing uses. */
export interface Garbage {
  /** An object of the store by its key, or an image by its repository and digest: `registry/sless/a/b@sha256:…`. */
  readonly id: string;
  readonly kind: 'object' | 'image';
  /** Whose it was: before it is thrown away, that Function is looked at once more. */
  readonly owner: Owner;
  /** Bytes, where they are known. */
  readonly size?: number;
}
