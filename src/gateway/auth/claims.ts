import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose';
import { SlessError } from '../../errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { isSubject, namespaceOf, SUBJECT_RULE } from './subject.ts';
import type { ProvenToken } from './token-cache.ts';

/** How far two clocks may be apart. */
export const SKEW_SECONDS = 5;
/** More than fits into a request's headers in practice, and short enough to parse for nothing. */
export const MAX_TOKEN_LENGTH = 8192;

/** What an installation asks of claims. */
export interface ClaimRules {
  /** What `iss` must be; any, where it is absent. */
  readonly issuer?: string;
  /** What `aud` must be or contain; any, where it is absent. */
  readonly audience?: string;
}

/** The same rule that jose keeps, for a token that was looked at before. */
export function isCurrent({ exp, nbf }: Pick<ProvenToken, 'exp' | 'nbf'>, clock: Clock): boolean {
  const now = Math.floor(clock.now() / 1000);
  return exp > now - SKEW_SECONDS && (nbf === undefined || nbf <= now + SKEW_SECONDS);
}

/**
 * What a token says of itself, for modes in which somebody else proves it. Whatever is wrong with the claims is found
 * here, so that the one who proves is asked about usable tokens only.
 *
 * @throws SlessError `Unauthenticated`
 */
export function readClaims(token: string, rules: ClaimRules, clock: Clock): ProvenToken {
  if (token.length > MAX_TOKEN_LENGTH) throw refusal(`is longer than ${MAX_TOKEN_LENGTH} characters`);
  const claims = decode(token);
  const { sub, exp, nbf, iss, aud } = claims;
  if (!isSubject(sub)) throw refusal(`needs a sub: ${SUBJECT_RULE}`);
  if (!isTime(exp)) throw refusal('has an unacceptable or missing exp');
  if (nbf !== undefined && !isTime(nbf)) throw refusal('has an unacceptable or missing nbf');
  const proven = { identity: { subject: sub, namespace: namespaceOf(sub) }, exp, nbf };
  if (!isCurrent(proven, clock)) throw refusal(describeTime(proven, clock));
  if (rules.issuer !== undefined && iss !== rules.issuer) throw refusal('has an unacceptable or missing iss');
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (rules.audience !== undefined && !audiences.includes(rules.audience))
    throw refusal('has an unacceptable or missing aud');
  return proven;
}

/** Three parts, of which the last is a signature, whoever has to check it. */
function decode(token: string): JWTPayload {
  try {
    const { alg } = decodeProtectedHeader(token);
    const [, , signature = '', ...more] = token.split('.');
    if (typeof alg !== 'string' || /^none$/i.test(alg) || signature === '' || more.length > 0)
      throw refusal('must be signed');
    return decodeJwt(token);
  } catch (error) {
    throw error instanceof SlessError ? error : refusal('is not a valid JWT', error);
  }
}

const isTime = (claim: unknown): claim is number => typeof claim === 'number' && Number.isFinite(claim);

function describeTime({ nbf }: Pick<ProvenToken, 'nbf'>, clock: Clock): string {
  const isEarly = nbf !== undefined && nbf > Math.floor(clock.now() / 1000) + SKEW_SECONDS;
  return isEarly ? 'has an unacceptable or missing nbf' : 'has expired';
}

/** `Unauthenticated` that says what is wrong with the token, without repeating any of it. */
export function refusal(what: string, cause?: unknown): SlessError {
  return new SlessError('Unauthenticated', `the token ${what}`, { cause });
}
