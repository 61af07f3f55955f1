import type { Config } from '../config/config.ts';
import type { Authenticator } from '../gateway/auth/authenticator.ts';
import type { ClaimRules } from '../gateway/auth/claims.ts';
import { createIntrospectAuthenticator } from '../gateway/auth/introspect.ts';
import { createJwksAuthenticator } from '../gateway/auth/jwks.ts';
import { createRemoteKeySet } from '../gateway/auth/key-set.ts';
import {
  createTrustedPerimeterAuthenticator,
  TRUSTED_PERIMETER_WARNING,
} from '../gateway/auth/trusted-perimeter.ts';
import type { Logger } from '../ports/logger.ts';

/** Tells who tokens speak for, in the way that the installation asks for. */
export function createAuthenticator(config: Config, logger: Logger): Authenticator {
  const rules: ClaimRules = {
    ...(config.authIssuer === undefined ? {} : { issuer: config.authIssuer }),
    ...(config.authAudience === undefined ? {} : { audience: config.authAudience }),
  };
  const deps = { fetch, clock: Date, logger };
  // Of each mode `loadConfig` has demanded its URL.
  switch (config.authMode) {
    case 'jwks':
      return createJwksAuthenticator(
        { keys: createRemoteKeySet(deps, config.jwksUrl ?? ''), clock: Date },
        rules,
      );
    case 'introspect':
      return createIntrospectAuthenticator(deps, { ...rules, url: config.introspectUrl ?? '' });
    case 'trusted-perimeter':
      logger.warn({ authMode: config.authMode }, TRUSTED_PERIMETER_WARNING);
      return createTrustedPerimeterAuthenticator(deps, rules);
  }
}
