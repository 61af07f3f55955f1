import * as client from 'openid-client';
import { SlessError } from '../../../errors.ts';
import type { Logger } from '../../../ports/logger.ts';
import { BASE } from '../base-path.ts';

/** How an installation signs people in at an issuer of tokens. */
export interface OidcOptions {
  /** The issuer: its `/.well-known/openid-configuration` tells the rest. */
  readonly issuer: string;
  readonly clientId: string;
  /** Absent for a public client: PKCE is used in any case. */
  readonly clientSecret: string | undefined;
  readonly scope: string;
  /** Which of the tokens the api knows: an access token that is a JWT, or the ID token. */
  readonly token: 'access' | 'id';
  /** Where browsers reach this installation. */
  readonly externalUrl: string;
}

/** What must be remembered of a try until its answer comes. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Authorization code flow with PKCE (RFC 7636), OpenID Connect Core 1.0 §3.1. */
export interface SignInByOidc {
  /** What the issuer is called, for the button: its host. */
  readonly name: string;
  /** Where to send the browser. @throws SlessError `Unavailable` when the issuer is away */
  start(): Promise<{ readonly url: URL; readonly attempt: Attempt }>;
  /**
   * The token for the code that the browser has come back with.
   *
   * @param search the query of the callback @throws SlessError `Unauthenticated`, `Unavailable`
   */
  finish(search: string, attempt: Attempt): Promise<string>;
}

export const CALLBACK_PATH = `${BASE}/-/signin/callback`;

interface OidcDeps {
  readonly fetch: typeof fetch;
  readonly logger: Logger;
}

export function createOidc(deps: OidcDeps, options: OidcOptions): SignInByOidc {
  const known = discovered(deps, options);
  const callback = `${options.externalUrl}${CALLBACK_PATH}`;
  return {
    name: new URL(options.issuer).host,
    start: async () => {
      const config = await known();
      const attempt = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: callback,
        scope: options.scope,
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
      });
      return { url, attempt };
    },
    finish: async (search, { state, nonce, verifier }) => {
      const config = await known();
      const checks = {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      };
      const tokens = await client
        .authorizationCodeGrant(config, new URL(callback + search), checks)
        .catch((cause: unknown) => {
          deps.logger.warn({ err: cause }, 'signing in at the issuer failed');
          throw refused(cause);
        });
      const token = options.token === 'id' ? tokens.id_token : tokens.access_token;
      if (token === undefined) throw new SlessError('Unauthenticated', 'the issuer has sent no such token');
      return token;
    },
  };
}

/** What the issuer says of itself, asked for when it is first needed and after a failure again. */
function discovered({ fetch, logger }: OidcDeps, options: OidcOptions): () => Promise<client.Configuration> {
  let pending: Promise<client.Configuration> | undefined;
  const issuer = new URL(options.issuer);
  const insecure = issuer.protocol === 'http:' ? [client.allowInsecureRequests] : [];
  const how = {
    execute: insecure,
    // The library's own type of fetch is the same in other words.
    [client.customFetch]: fetch as client.CustomFetch,
    timeout: 10,
  };
  return () => {
    pending ??= client
      .discovery(issuer, options.clientId, undefined, secretOf(options), how)
      .catch((cause: unknown) => {
        pending = undefined;
        logger.warn({ err: cause, issuer: options.issuer }, 'the issuer cannot be asked how to sign in');
        throw new SlessError('Unavailable', `the token issuer ${issuer.host} cannot be reached`, { cause });
      });
    return pending;
  };
}

function secretOf({ clientSecret }: OidcOptions): client.ClientAuth {
  return clientSecret === undefined ? client.None() : client.ClientSecretPost(clientSecret);
}

/** What the issuer says of a refusal is for the visitor; all else is for the log. */
function refused(cause: unknown): SlessError {
  if (cause instanceof client.AuthorizationResponseError)
    return new SlessError(
      'Unauthenticated',
      `the issuer refused: ${cause.error_description ?? cause.error}`,
      { cause },
    );
  return new SlessError('Unauthenticated', 'the issuer’s answer could not be used: try again', { cause });
}
