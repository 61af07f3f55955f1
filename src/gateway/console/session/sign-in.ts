import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { z } from 'zod';
import { isSlessError, SlessError } from '../../../errors.ts';
import { readBytes } from '../../api/request/raw-body.ts';
import type { Assets } from '../assets.ts';
import { BASE } from '../base-path.ts';
import type { ConsoleApp, ConsoleContext, ConsoleDeps, ConsoleOptions } from '../deps.ts';
import { againPage, signInPage } from '../pages/sign-in.ts';
import { lookOf } from '../view.ts';
import { cookieName, forgetToken, keepToken, readToken } from './cookie.ts';
import { CSRF_FIELD, csrfOf, isCsrf } from './csrf.ts';
import { CALLBACK_PATH } from './oidc.ts';
import { isSameOrigin } from './provenance.ts';
import { returnPath } from './return-path.ts';

interface SignInParts {
  readonly deps: ConsoleDeps;
  readonly options: ConsoleOptions;
  readonly assets: Assets;
}

/** A token of 8192 characters, and the rest of the form. */
const MAX_FORM_BYTES = 16_384;

/** Signing in by pasting a token or at an issuer, and out. */
export function registerSignIn(app: ConsoleApp, parts: SignInParts): void {
  const { deps, options } = parts;
  app.get(`${BASE}/-/signin`, (c) => showSignIn(c, parts, { to: returnPath(c.req.query('to')) }));
  app.post(`${BASE}/-/signin`, async (c) => {
    const form = await readForm(c);
    const to = returnPath(form.get('to') ?? undefined);
    requireOurs(c);
    const token = (form.get('token') ?? '').trim().replace(/^Bearer +/i, '');
    const problem = await accept(parts, c, token);
    return problem === undefined ? c.redirect(to, 303) : showSignIn(c, parts, { to, error: problem });
  });
  app.post(`${BASE}/-/signout`, async (c) => {
    const form = await readForm(c);
    requireOurs(c);
    const token = readToken(c, options);
    // Whoever makes somebody else sign out must at least be a page of ours.
    if (token !== undefined && !isCsrf({ csrf: csrfOf(token) }, form.get(CSRF_FIELD) ?? undefined))
      throw new SlessError(
        'Forbidden',
        'the session counts for the pages of the console alone: reload the page',
      );
    forgetToken(c, options);
    return c.redirect(`${BASE}/-/signin`, 303);
  });
  registerOidc(app, parts, deps.oidc);
}

/** Puts the token into the cookie, or says what is wrong with it. */
async function accept(
  { deps, options }: SignInParts,
  c: ConsoleContext,
  token: string,
): Promise<string | undefined> {
  try {
    if (!/^[A-Za-z0-9._~+/=-]+$/.test(token))
      throw new SlessError('Unauthenticated', 'that is no token: it has three parts with dots between');
    await deps.authenticator.authenticate(token);
  } catch (error) {
    if (!(error instanceof SlessError)) throw error;
    return error.message;
  }
  keepToken(c, options, token);
  return undefined;
}

interface SignInState {
  readonly to: string;
  readonly error?: string;
}

export function showSignIn(
  c: ConsoleContext,
  parts: SignInParts,
  { to, error }: SignInState,
): Response | Promise<Response> {
  const look = lookOf(c, parts);
  const { tokenHint: hint } = parts.options;
  return c.html(
    signInPage(look, { to, error, hint, issuer: parts.deps.oidc?.name }),
    error === undefined ? 200 : 401,
  );
}

/** Reads `application/x-www-form-urlencoded`, bounded. */
async function readForm(c: ConsoleContext): Promise<URLSearchParams> {
  const { incoming } = c.env;
  const bytes =
    incoming === undefined
      ? Buffer.from(await c.req.arrayBuffer())
      : await readBytes(incoming, MAX_FORM_BYTES);
  return new URLSearchParams(bytes.toString('utf8'));
}

/** @throws SlessError `Forbidden`: another site must not choose who a browser is signed in as */
function requireOurs(c: ConsoleContext): void {
  if (!isSameOrigin(c))
    throw new SlessError('Forbidden', 'this form can be sent from the console’s own page alone');
}

const attemptSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  to: z.string(),
});

/** As long as somebody may take to sign in. */
const ATTEMPT_SECONDS = 600;

function registerOidc(app: ConsoleApp, parts: SignInParts, oidc: ConsoleDeps['oidc']): void {
  if (oidc === undefined) return;
  const { options } = parts;
  const name = cookieName('attempt', options);
  app.get(`${BASE}/-/signin/oidc`, async (c) => {
    const { url, attempt } = await oidc.start();
    const kept = JSON.stringify({ ...attempt, to: returnPath(c.req.query('to')) });
    // Lax: it must come back from the issuer's site.
    setCookie(c, name, Buffer.from(kept).toString('base64url'), {
      path: CALLBACK_PATH,
      httpOnly: true,
      sameSite: 'Lax',
      secure: options.secure,
      maxAge: ATTEMPT_SECONDS,
    });
    return c.redirect(url.href, 303);
  });
  app.get(CALLBACK_PATH, async (c) => {
    const attempt = readAttempt(getCookie(c, name));
    deleteCookie(c, name, { path: CALLBACK_PATH, secure: options.secure });
    const to = returnPath(attempt?.to);
    if (attempt === undefined)
      return showSignIn(c, parts, {
        to,
        error: 'signing in took too long, or began in another browser: try again',
      });
    try {
      const problem = await accept(parts, c, await oidc.finish(new URL(c.req.url).search, attempt));
      if (problem !== undefined) return showSignIn(c, parts, { to, error: problem });
    } catch (error) {
      if (!isSlessError(error)) throw error;
      return showSignIn(c, parts, { to, error: error.message });
    }
    // A redirect would still be part of a visit that began on the issuer's site, and strict cookies stay at home.
    return c.html(againPage(lookOf(c, parts), to));
  });
}

function readAttempt(cookie: string | undefined): z.infer<typeof attemptSchema> | undefined {
  try {
    return attemptSchema.parse(JSON.parse(Buffer.from(cookie ?? '', 'base64url').toString()));
  } catch {
    return undefined;
  }
}
