import type { MiddlewareHandler } from 'hono';
import { isSlessError, SlessError } from '../../../errors.ts';
import { bearerToken } from '../../auth/bearer.ts';
import type { ConsoleContext, ConsoleDeps, ConsoleEnv, ConsoleOptions, Session } from '../deps.ts';
import { forgetToken, keepToken, readToken } from './cookie.ts';
import { CSRF_HEADER, csrfOf, isCsrf } from './csrf.ts';
import { isNavigation, isSameOrigin } from './provenance.ts';

type Deps = Pick<ConsoleDeps, 'authenticator' | 'ownToken'>;

/**
 * No token, no page. A token in the header counts as it does in REST; one in a cookie only for a page that the browser
 * itself opens, or with the proof that stands in such a page.
 *
 * @throws SlessError `Unauthenticated`, which `answerError` turns into the page for signing in
 */
export function requireSession(deps: Deps, options: ConsoleOptions): MiddlewareHandler<ConsoleEnv> {
  return async (c, next) => {
    const session =
      (await byHeader(deps, c)) ?? (await byCookie(deps, options, c)) ?? (await byOwn(deps, options, c));
    if (session === undefined)
      throw new SlessError('Unauthenticated', 'sign in, or send a token: Authorization: Bearer <JWT>');
    c.set('session', session);
    await next();
  };
}

async function byHeader({ authenticator }: Deps, c: ConsoleContext): Promise<Session | undefined> {
  const authorization = c.req.header('authorization');
  if (authorization === undefined) return undefined;
  const token = bearerToken(authorization);
  return { token, identity: await authenticator.authenticate(token), by: 'header', csrf: csrfOf(token) };
}

async function byCookie(
  { authenticator, ownToken }: Deps,
  options: ConsoleOptions,
  c: ConsoleContext,
): Promise<Session | undefined> {
  const token = readToken(c, options);
  if (token === undefined) return undefined;
  const csrf = csrfOf(token);
  const isReading = c.req.method === 'GET' || c.req.method === 'HEAD';
  const isPage = isReading && isNavigation(c);
  const isOurs = isSameOrigin(c) && isCsrf({ csrf }, c.req.header(CSRF_HEADER));
  if (!isPage && !isOurs)
    throw new SlessError(
      'Forbidden',
      'the session counts for the pages of the console alone: reload the page',
    );
  try {
    const by = ownToken === undefined ? 'cookie' : 'own';
    return { token, identity: await authenticator.authenticate(token), by, csrf };
  } catch (error) {
    if (!isSlessError(error, 'Unauthenticated')) throw error;
    forgetToken(c, options);
    if (ownToken !== undefined && isPage) return undefined;
    throw error;
  }
}

async function byOwn(
  { authenticator, ownToken }: Deps,
  options: ConsoleOptions,
  c: ConsoleContext,
): Promise<Session | undefined> {
  if (ownToken === undefined || !isNavigation(c) || c.req.method !== 'GET') return undefined;
  const token = await ownToken(c.env.incoming);
  if (token === undefined) return undefined;
  keepToken(c, options, token);
  return { token, identity: await authenticator.authenticate(token), by: 'own', csrf: csrfOf(token) };
}
