import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import { SlessError } from '../../errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Authenticator, Identity } from './authenticator.ts';
import { type ClaimRules, isCurrent, MAX_TOKEN_LENGTH, refusal, SKEW_SECONDS } from './claims.ts';
import type { KeySet } from './key-set.ts';
import { isSubject, namespaceOf, SUBJECT_RULE } from './subject.ts';
import { createTokenCache, type ProvenToken } from './token-cache.ts';

/** The one list. HMAC is not on it: a public key must never serve as a shared secret. */
export const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const;

/** Some 200 bytes each: 2 MB. */
const CACHED_TOKENS = 10_000;
const CACHED_MS = 60_000;

interface JwksDeps {
  readonly keys: KeySet;
  readonly clock: Clock;
}

export type JwksOptions = ClaimRules;

/** JWTs whose signature is proven by a key of the set: `AUTH_MODE=jwks`, and local mode with keys of its own. */
export function createJwksAuthenticator({ keys, clock }: JwksDeps, options: JwksOptions = {}): Authenticator {
  const cache = createTokenCache(clock, { capacity: CACHED_TOKENS, lifeMs: CACHED_MS });
  let cachedVersion = keys.version();

  const cached = (token: string): Identity | undefined => {
    const version = keys.version();
    if (version !== cachedVersion) cache.clear();
    cachedVersion = version;
    const proven = cache.get(token);
    return proven !== undefined && isCurrent(proven, clock) ? proven.identity : undefined;
  };
  const verify = async (token: string): Promise<Identity> => {
    const proven = await prove(token, keys, verifyOptions(options, clock));
    // Whoever changed the keys meanwhile must find nothing that the old ones proved.
    if (keys.version() === cachedVersion) cache.set(token, proven);
    return proven.identity;
  };
  return {
    authenticate: async (token) => {
      if (token.length > MAX_TOKEN_LENGTH) throw refusal(`is longer than ${MAX_TOKEN_LENGTH} characters`);
      return cached(token) ?? verify(token);
    },
  };
}

function verifyOptions(options: JwksOptions, clock: Clock): JWTVerifyOptions {
  return {
    algorithms: [...ALGORITHMS],
    clockTolerance: SKEW_SECONDS,
    currentDate: new Date(clock.now()),
    requiredClaims: ['exp', 'sub'],
    ...(options.issuer === undefined ? {} : { issuer: options.issuer }),
    ...(options.audience === undefined ? {} : { audience: options.audience }),
  };
}

async function prove(token: string, keys: KeySet, options: JWTVerifyOptions): Promise<ProvenToken> {
  try {
    const { payload } = await verifyWithSet(token, keys, options);
    if (!isSubject(payload.sub)) throw refusal(`needs a sub: ${SUBJECT_RULE}`);
    if (payload.exp === undefined) throw refusal('needs exp');
    const identity = { subject: payload.sub, namespace: namespaceOf(payload.sub) };
    return { identity, exp: payload.exp, nbf: payload.nbf };
  } catch (error) {
    if (error instanceof SlessError) throw error;
    if (error instanceof errors.JOSEError) throw refusal(describe(error), error);
    throw new SlessError('Unauthenticated', 'the token cannot be verified', { cause: error });
  }
}

/** A header without `kid` may fit several keys of a set; the token is good when one of them signed it. */
async function verifyWithSet(
  token: string,
  keys: KeySet,
  options: JWTVerifyOptions,
): Promise<{ readonly payload: JWTPayload }> {
  try {
    return await jwtVerify(token, keys.getKey, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      const result = await jwtVerify(token, key, options).catch((reason: unknown) => {
        if (reason instanceof errors.JWSSignatureVerificationFailed) return undefined;
        throw reason;
      });
      if (result !== undefined) return result;
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

function describe(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'has expired';
  if (error instanceof errors.JWTClaimValidationFailed)
    return `has an unacceptable or missing ${error.claim}`;
  if (error instanceof errors.JOSEAlgNotAllowed) return `must be signed with ${ALGORITHMS.join(', ')}`;
  if (error instanceof errors.JWKSNoMatchingKey)
    return 'is signed with a key that the issuer does not publish';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'has a wrong signature';
  return 'is not a valid JWT';
}
