import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { SlessError } from '../../errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';

/** The public keys that tokens may be signed with. */
export interface KeySet {
  /** The key that a token's header names; fails with jose's `JWKSNoMatchingKey`, or with `Unavailable`. */
  readonly getKey: JWTVerifyGetKey;
  /** Another number whenever the keys have changed. Asking also starts a refresh that is due. */
  version(): number;
}

/** Keys that do not change while the process runs. */
export function fixedKeySet(keys: JSONWebKeySet): KeySet {
  return { getKey: createLocalJWKSet(keys), version: () => 0 };
}

/** A key that was withdrawn is trusted for a minute more, like a token that was verified. */
const REFRESH_MS = 60_000;
/** While the issuer is away its last keys stand: tokens seldom live longer than an hour, so nobody needs them after. */
const MAX_AGE_MS = 3_600_000;
/** Unknown key ids cause at most this many requests at once, then one each `ALLOWANCE_MS`: anyone can invent them. */
const MAX_ALLOWANCE = 3;
const ALLOWANCE_MS = 10_000;
const FETCH_TIMEOUT_MS = 5_000;
/** Hundreds of keys. */
const MAX_BYTES = 262_144;

interface RemoteKeySetDeps {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Keys {
  readonly resolve: JWTVerifyGetKey;
  readonly text: string;
  readonly fetchedAt: number;
}

/**
 * The keys behind a URL, fetched when first needed, then again in the background every minute of use, and at once
 * (within an allowance) for a key id that is not among them.
 */
export function createRemoteKeySet(deps: RemoteKeySetDeps, url: string): KeySet {
  const { clock, logger } = deps;
  let keys: Keys | undefined;
  let pending: Promise<Keys> | undefined;
  let version = 0;
  const spend = allowance(clock);

  const load = async (): Promise<Keys> => {
    const text = await fetchText(deps, url);
    const resolve = createLocalJWKSet(JSON.parse(text) as JSONWebKeySet); // checks the shape itself
    if (keys?.text !== text) version += 1;
    keys = { resolve, text, fetchedAt: clock.now() };
    return keys;
  };
  const refresh = (): Promise<Keys> => {
    pending ??= load()
      .catch((error: unknown) => {
        logger.warn({ err: error, url }, 'the key set cannot be read');
        throw new SlessError('Unavailable', 'the keys of the token issuer cannot be read', {
          cause: error,
          retryAfterSeconds: 5,
        });
      })
      .finally(() => {
        pending = undefined;
      });
    return pending;
  };
  const attempt = (): Promise<Keys> => {
    if (spend()) return refresh();
    throw new SlessError('Unavailable', 'the keys of the token issuer cannot be read', {
      retryAfterSeconds: 5,
    });
  };
  const age = () => (keys === undefined ? Number.POSITIVE_INFINITY : clock.now() - keys.fetchedAt);

  return {
    version: () => {
      // A failure was logged; the next request tries again, as far as the allowance goes.
      if (age() > REFRESH_MS && pending === undefined && spend()) refresh().catch(() => undefined);
      return version;
    },
    getKey: async (header, token) => {
      const known = keys !== undefined && age() < MAX_AGE_MS ? keys : await (pending ?? attempt());
      try {
        return await known.resolve(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey) || !(pending || spend())) throw error;
        return (await refresh()).resolve(header, token);
      }
    },
  };
}

/** A budget that fills up with time; answers whether there was something left to spend. */
function allowance(clock: Clock): () => boolean {
  let left = MAX_ALLOWANCE;
  let at = clock.now();
  return () => {
    left = Math.min(MAX_ALLOWANCE, left + (clock.now() - at) / ALLOWANCE_MS);
    at = clock.now();
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}

async function fetchText(deps: RemoteKeySetDeps, url: string): Promise<string> {
  const response = await deps.fetch(url, {
    headers: { accept: 'application/jwk-set+json, application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
  });
  if (response.status !== 200 || response.body === null)
    throw new Error(`the key set was answered with ${response.status}`);
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_BYTES) throw new Error(`the key set is larger than ${MAX_BYTES} bytes`);
  }
  return text;
}
