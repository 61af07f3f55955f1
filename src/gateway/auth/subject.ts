import { createHash } from 'node:crypto';

/** Longer than any name in use: 255 in OpenID Connect, some 350 for a ServiceAccount of Kubernetes. */
export const MAX_SUBJECT_BYTES = 512;

/** Enough of SHA-256 that nobody finds a second subject for a namespace: 2^64 tries. */
const NAMESPACE_HASH_BYTES = 8;

/** The namespace of a subject: `sless-` and the first 8 bytes of SHA-256(sub) in hex. */
export function namespaceOf(subject: string): string {
  const hash = createHash('sha256').update(subject, 'utf8').digest();
  return `sless-${hash.subarray(0, NAMESPACE_HASH_BYTES).toString('hex')}`;
}

/**
 * Whether a claim can be a subject. A lone surrogate is refused since UTF-8 writes them all as one and the same
 * character: subjects that differ would share a namespace.
 */
export function isSubject(claim: unknown): claim is string {
  if (typeof claim !== 'string' || claim === '' || !claim.isWellFormed()) return false;
  return Buffer.byteLength(claim) <= MAX_SUBJECT_BYTES;
}
