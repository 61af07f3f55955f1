import { hash, timingSafeEqual } from 'node:crypto';

/** The header, and the field of forms, that carries the proof. */
export const CSRF_HEADER = 'x-sless-csrf';
export const CSRF_FIELD = 'csrf';

/**
 * The proof that a request comes from one of the console's own pages, where it stands in a `meta`. It follows from the
 * token, so that every replica knows it and none keeps anything; the token does not follow from it.
 */
export function csrfOf(token: string): string {
  return hash('sha256', `sless console page\n${token}`, 'base64url');
}

export function isCsrf(session: { readonly csrf: string }, shown: string | undefined): boolean {
  const [known, given] = [Buffer.from(session.csrf), Buffer.from(shown ?? '')];
  return known.length === given.length && timingSafeEqual(known, given);
}
