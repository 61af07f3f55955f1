import { createHash } from 'node:crypto';

/** Hex digits of the content hash in a key: 64 bits, for telling one function's versions apart. */
const PIECE_DIGITS = 16;

export interface KeyParts {
  readonly namespace: string;
  /** The Function's. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly contentHash: string;
}

/**
 * What a build depends on: the files and the Dockerfile. The same code under another runtime, or after an install step
 * changed, is another content.
 */
export function contentHash(codeHash: string, dockerfile: string): string {
  return createHash('sha256').update(`${codeHash}\n${dockerfile}`).digest('hex');
}

/** `contexts/{namespace}/{name}/{YYYYMMDDhhmmss}-{16 hex digits of the content}.tar.gz` */
export function contextKey(parts: KeyParts): string {
  return `${contextPrefix(parts)}${versionOf(parts)}.tar.gz`;
}

/** `functions/{namespace}/{name}/{the same}.zip`: the zip as it was uploaded. */
export function zipKey(parts: KeyParts): string {
  return `functions/${parts.namespace}/${parts.name}/${versionOf(parts)}.zip`;
}

/** Under this prefix lie all contexts of a Function, and of no other. */
export function contextPrefix({ namespace, name }: Pick<KeyParts, 'namespace' | 'name'>): string {
  return `contexts/${namespace}/${name}/`;
}

const CONTEXT_KEY =
  /^contexts\/(?<namespace>[^/]+)\/(?<name>[^/]+)\/(?<time>\d{14})-(?<piece>[0-9a-f]{16})\.tar\.gz$/;

/** Whether the key is of a context with this content. */
export function holdsContent(key: string, hash: string): boolean {
  return CONTEXT_KEY.exec(key)?.groups?.piece === hash.slice(0, PIECE_DIGITS);
}

/** The key of the zip that a context was made from, or `undefined` for a key that no upload made. */
export function zipKeyOf(key: string): string | undefined {
  const groups = CONTEXT_KEY.exec(key)?.groups;
  if (groups === undefined) return undefined;
  return `functions/${groups.namespace}/${groups.name}/${groups.time}-${groups.piece}.zip`;
}

function versionOf({ now, contentHash }: KeyParts): string {
  const time = new Date(now).toISOString().replace(/\D/g, '').slice(0, 14);
  return `${time}-${contentHash.slice(0, PIECE_DIGITS)}`;
}
