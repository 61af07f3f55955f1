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

/** What a subject must be, as a refusal says it. */
export const SUBJECT_RULE = `a text of 1 to ${MAX_SUBJECT_BYTES} bytes, not blank and without control characters`;

const CONTROL = /\p{Cc}/u;

/**
 * Whether a claim can be a subject. A lone surrogate is refused since UTF-8 writes them all as one and the same
 * character: subjects that differ would share a namespace. Blank ones are nobody's name, and control characters do not
 * survive every log, header and review that a subject goes through.
 */
export function isSubject(claim: unknown): claim is string {
  if (typeof claim !== 'string' || claim.trim() === '' || !claim.isWellFormed()) return false;
  return Buffer.byteLength(claim) <= MAX_SUBJECT_BYTES && !CONTROL.test(claim);
}
