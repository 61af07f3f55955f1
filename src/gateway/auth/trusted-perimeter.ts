import type { Clock } from '../../ports/clock.ts';
import type { Authenticator } from './authenticator.ts';
import { type ClaimRules, readClaims } from './claims.ts';

/** What an installation in this mode must read in its log, each time it starts. */
export const TRUSTED_PERIMETER_WARNING =
  'AUTH_MODE=trusted-perimeter: NO SIGNATURE IS CHECKED. Whoever reaches this port can be anyone. Only a proxy that checks every token itself may reach it.';

/**
 * Tokens of which somebody in front of the api has checked the signature: `AUTH_MODE=trusted-perimeter`. Only their
 * shape, their time and their claims are looked at.
 */
export function createTrustedPerimeterAuthenticator(
  { clock }: { readonly clock: Clock },
  rules: ClaimRules = {},
): Authenticator {
  return { authenticate: async (token) => readClaims(token, rules, clock).identity };
}
