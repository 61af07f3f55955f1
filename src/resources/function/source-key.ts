interface Address {
  readonly namespace: string;
  /** The Function's. */
  readonly name: string;
}

/** One segment of a key below the prefix. A source text of RE2 too: the admission policy says the same in CEL. */
export const PLAIN_SEGMENT = '[A-Za-z0-9_][A-Za-z0-9._-]*';

const SEGMENT = new RegExp(`^${PLAIN_SEGMENT}$`);

/** The place of a Function's own code in the object store: its s3Key lies below. */
export function sourcePrefix({ namespace, name }: Address): string {
  return `contexts/${namespace}/${name}/`;
}

/**
 * Whether a key is of this very Function. Another tenant's would run another tenant's code, and show it; and a path that an object store
 * or a proxy before it could shorten (`..`, `//`) might come to be another's.
 */
export function isOwnKey(address: Address, key: string): boolean {
  const prefix = sourcePrefix(address);
  if (!key.startsWith(prefix)) return false;
  return key
    .slice(prefix.length)
    .split('/')
    .every((segment) => SEGMENT.test(segment));
}
