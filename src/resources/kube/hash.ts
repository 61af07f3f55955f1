import { createHash } from 'node:crypto';

/**
 * A short name-safe fingerprint of an ordered list of texts: 16 lower-case hex digits (64 bits) of SHA-256.
 * Each part is prefixed with its length in bytes, so `['ab', 'c']` and `['a', 'bc']` differ.
 */
export function shortHash(...parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:${part}`);
  return hash.digest('hex').slice(0, 16);
}
