import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { decodeJwt } from 'jose';
import { BASE } from '../base-path.ts';
import type { ConsoleContext, ConsoleOptions } from '../deps.ts';

/** Browsers drop a cookie of more than 4096 bytes, its name and attributes counted in. */
const PIECE_LENGTH = 3500;
const MAX_PIECES = 3;

type Options = Pick<ConsoleOptions, 'secure' | 'cookieSuffix'>;

/** `__Secure-` lets nothing but an answer over https set or replace it. */
export function cookieName(word: string, { secure, cookieSuffix = '' }: Options): string {
  return `${secure ? '__Secure-' : ''}sless-${word}${cookieSuffix}`;
}

/** The token that a browser has kept for us; `undefined` without one. */
export function readToken(c: ConsoleContext, options: Options): string | undefined {
  const name = cookieName('session', options);
  const pieces = Array.from({ length: MAX_PIECES }, (_, i) => getCookie(c, `${name}.${i}`));
  const token = pieces.slice(0, lengthBefore(pieces)).join('');
  return token === '' ? undefined : token;
}

function lengthBefore(pieces: readonly (string | undefined)[]): number {
  const missing = pieces.indexOf(undefined);
  return missing === -1 ? pieces.length : missing;
}

/** Leaves the token with the browser, out of reach of any script, until the token expires. */
export function keepToken(c: ConsoleContext, options: Options, token: string): void {
  const name = cookieName('session', options);
  const count = Math.ceil(token.length / PIECE_LENGTH);
  for (let i = 0; i < MAX_PIECES; i += 1) {
    if (i >= count) deleteCookie(c, `${name}.${i}`, attributes(options));
    else {
      const piece = token.slice(i * PIECE_LENGTH, (i + 1) * PIECE_LENGTH);
      setCookie(c, `${name}.${i}`, piece, { ...attributes(options), ...endOf(token) });
    }
  }
}

/** Takes the token away from the browser. */
export function forgetToken(c: ConsoleContext, options: Options): void {
  const name = cookieName('session', options);
  for (let i = 0; i < MAX_PIECES; i += 1) deleteCookie(c, `${name}.${i}`, attributes(options));
}

function attributes({ secure }: Options) {
  return { path: BASE, httpOnly: true, sameSite: 'Strict', secure } as const;
}

/** Browsers keep no cookie longer than 400 days, and Hono refuses to ask for more. */
const MAX_DAYS = 399;

function endOf(token: string): { expires?: Date } {
  const { exp } = decodeJwt(token);
  return exp === undefined
    ? {}
    : { expires: new Date(Math.min(exp * 1000, Date.now() + MAX_DAYS * 86_400_000)) };
}
