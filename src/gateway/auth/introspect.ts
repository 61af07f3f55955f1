import { hash } from 'node:crypto';
import { isSlessError, SlessError } from '../../errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Authenticator } from './authenticator.ts';
import { type ClaimRules, isCurrent, readClaims, refusal } from './claims.ts';
import { createTokenCache, type ProvenToken } from './token-cache.ts';

interface IntrospectDeps {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface IntrospectOptions extends ClaimRules {
  /** Of the issuer that a token is shown to. */
  readonly url: string;
  /** Milliseconds that the issuer may take; 5,000 by default. */
  readonly timeoutMs?: number;
  /** Questions to the issuer at once; 64 by default. More are told to come again: anyone can invent tokens. */
  readonly atOnce?: number;
}

const TIMEOUT_MS = 5_000;
const AT_ONCE = 64;
const CACHED_TOKENS = 10_000;
/** A token that was withdrawn works this much longer. A page of the console asks for its parts within seconds. */
const CACHED_MS = 30_000;
const MAX_ANSWER_BYTES = 65_536;

/** Tokens that their issuer knows when it is shown one: `AUTH_MODE=introspect`. */
export function createIntrospectAuthenticator(
  deps: IntrospectDeps,
  options: IntrospectOptions,
): Authenticator {
  const { clock } = deps;
  const { atOnce = AT_ONCE } = options;
  const cache = createTokenCache(clock, { capacity: CACHED_TOKENS, lifeMs: CACHED_MS });
  const asked = new Map<string, Promise<void>>();
  /** Callers that come with one token at once share one question. */
  const ask = (token: string): Promise<void> => {
    const key = hash('sha256', token, 'base64');
    const running = asked.get(key);
    if (running !== undefined) return running;
    if (asked.size >= atOnce) throw unavailable('is asked too much at once', 1);
    const asking = show(deps, token, options).finally(() => asked.delete(key));
    asked.set(key, asking);
    return asking;
  };
  const prove = async (token: string): Promise<ProvenToken> => {
    const proven = readClaims(token, options, clock);
    await ask(token);
    cache.set(token, proven);
    return proven;
  };
  return {
    authenticate: async (token) => {
      const cached = cache.get(token);
      const proven = cached !== undefined && isCurrent(cached, clock) ? cached : await prove(token);
      return proven.identity;
    },
  };
}

/** @throws SlessError `Unauthenticated`, `Unavailable` */
async function show(
  { fetch, logger }: IntrospectDeps,
  token: string,
  { url, timeoutMs = TIMEOUT_MS }: IntrospectOptions,
): Promise<void> {
  try {
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
      // Another place must not be shown the token, and whoever sends elsewhere does not know it.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    await judge(response);
  } catch (error) {
    if (isSlessError(error, 'Unauthenticated')) throw error;
    logger.warn({ err: error, url }, 'the token issuer cannot be asked');
    throw isSlessError(error) ? error : unavailable('cannot be asked', 5, error);
  }
}

async function judge(response: Response): Promise<void> {
  const { status } = response;
  if (response.ok) {
    if (await saysInactive(response)) throw refusal('is not known to its issuer');
    return;
  }
  await response.body?.cancel();
  if (status >= 500 || status === 408 || status === 429) throw unavailable(`answered ${status}`, 5);
  throw refusal('is not known to its issuer');
}

/** The answer of RFC 7662 to a token that is not good is 200 too, and says so in its body. */
async function saysInactive(response: Response): Promise<boolean> {
  if (!/\bjson\b/i.test(response.headers.get('content-type') ?? '')) {
    await response.body?.cancel();
    return false;
  }
  const body: unknown = await readJson(response);
  return typeof body === 'object' && body !== null && 'active' in body && body.active === false;
}

/** `undefined` for what is no JSON, or more of it than anyone says about a token. */
async function readJson(response: Response): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_ANSWER_BYTES) return undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const unavailable = (what: string, retryAfterSeconds: number, cause?: unknown): SlessError =>
  new SlessError('Unavailable', `the token issuer ${what}`, { retryAfterSeconds, cause });
