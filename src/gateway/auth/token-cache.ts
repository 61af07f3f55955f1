import { hash } from 'node:crypto';
import type { Clock } from '../../ports/clock.ts';
import type { Identity } from './authenticator.ts';

/** What was proven about a token. Times are seconds since 1970, as in its claims. */
export interface ProvenToken {
  readonly identity: Identity;
  readonly exp: number;
  readonly nbf: number | undefined;
}

interface Entry {
  readonly token: ProvenToken;
  /** Milliseconds since 1970. */
  readonly forgetAt: number;
}

/** Tokens that were verified a short while ago, by their SHA-256, so that no token is kept in memory. */
export interface TokenCache {
  get(token: string): ProvenToken | undefined;
  set(token: string, proven: ProvenToken): void;
  clear(): void;
  readonly size: number;
}

interface TokenCacheOptions {
  readonly capacity: number;
  readonly lifeMs: number;
}

/** Bounded: the token that was not asked for the longest leaves first. Whoever reads looks at `exp` and `nbf` again. */
export function createTokenCache(clock: Clock, { capacity, lifeMs }: TokenCacheOptions): TokenCache {
  const entries = new Map<string, Entry>();
  const keyOf = (token: string) => hash('sha256', token, 'base64');
  return {
    get: (token) => {
      const key = keyOf(token);
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      // A Map keeps the order of insertion: what is put back stands last, what stands first is the oldest.
      entries.delete(key);
      if (entry.forgetAt <= clock.now()) return undefined;
      entries.set(key, entry);
      return entry.token;
    },
    set: (token, proven) => {
      const key = keyOf(token);
      entries.delete(key);
      const oldest = entries.keys().next();
      if (entries.size >= capacity && !oldest.done) entries.delete(oldest.value);
      entries.set(key, { token: proven, forgetAt: Math.min(clock.now() + lifeMs, proven.exp * 1000) });
    },
    clear: () => entries.clear(),
    get size() {
      return entries.size;
    },
  };
}
