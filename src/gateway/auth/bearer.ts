import { SlessError } from '../../errors.ts';

/**
 * The token of an `Authorization` header.
 *
 * @throws SlessError `Unauthenticated` where there is none, or another scheme.
 */
export function bearerToken(authorization: string | undefined): string {
  const [, token] = /^bearer +([A-Za-z0-9._~+/=-]+) *$/i.exec(authorization ?? '') ?? [];
  if (token === undefined)
    throw new SlessError('Unauthenticated', 'send a token: Authorization: Bearer <JWT>');
  return token;
}

/** The `WWW-Authenticate` header of a 401 (RFC 6750, section 3): an error is named only where a token was shown. */
export function challenge(authorization: string | undefined, message: string): string {
  if (authorization === undefined) return 'Bearer realm="sless"';
  const description = message.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'");
  return `Bearer realm="sless", error="invalid_token", error_description="${description}"`;
}
