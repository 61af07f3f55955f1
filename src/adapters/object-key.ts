import { SlessError } from '../errors.ts';

/** S3's own limit on a key, in bytes of UTF-8. */
const MAX_KEY_BYTES = 1024;

/**
 * Refuses what no store should ever see as a key: parts of it come from requests, and a store may map it to a path.
 *
 * @throws SlessError `InvalidRequest` that says what is wrong with the key.
 */
export function checkObjectKey(key: string): void {
  const mistake = mistakeIn(key);
  if (mistake !== undefined) {
    throw new SlessError('InvalidRequest', `the object key ${JSON.stringify(key.slice(0, 200))} ${mistake}`);
  }
}

function mistakeIn(key: string): string | undefined {
  if (key === '') return 'must not be empty';
  if (key.startsWith('/')) return 'must not begin with "/"';
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) return `must have at most ${MAX_KEY_BYTES} bytes`;
  if (/\p{Cc}/u.test(key)) return 'must not hold control characters';
  if (!key.isWellFormed()) return 'must be well-formed Unicode';
  if (key.split('/').some((segment) => segment === '' || segment === '.' || segment === '..')) {
    return 'must not have empty, "." or ".." segments';
  }
  return undefined;
}
