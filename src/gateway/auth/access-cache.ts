import type { AccessQuestion, AccessReview } from '../../ports/access-review.ts';
import type { Clock } from '../../ports/clock.ts';

export interface AccessCacheOptions {
  /** Milliseconds that an answer is believed; 10,000 by default: so long a right that was taken away still works. */
  readonly lifeMs?: number;
  /** Answers that are kept; 10,000 by default, some 300 bytes each. */
  readonly capacity?: number;
}

interface Entry {
  readonly answer: Promise<boolean>;
  /** Milliseconds since 1970. */
  readonly forgetAt: number;
}

/** Keeps answers, good and bad ones, for some seconds; who asks the same at once waits for one answer. Failures are not kept. */
export function cacheAccess(
  { access, clock }: { readonly access: AccessReview; readonly clock: Clock },
  { lifeMs = 10_000, capacity = 10_000 }: AccessCacheOptions = {},
): AccessReview {
  const entries = new Map<string, Entry>();
  return {
    allows: (question) => {
      const key = keyOf(question);
      const known = entries.get(key);
      if (known !== undefined && known.forgetAt > clock.now()) return known.answer;
      const answer = access.allows(question);
      const entry = { answer, forgetAt: clock.now() + lifeMs };
      // A Map keeps the order of insertion, and all live equally long: the first is the oldest.
      entries.delete(key);
      const oldest = entries.keys().next();
      if (entries.size >= capacity && !oldest.done) entries.delete(oldest.value);
      entries.set(key, entry);
      answer.catch(() => {
        if (entries.get(key) === entry) entries.delete(key);
      });
      return answer;
    },
  };
}

const keyOf = ({ user, verb, resource, namespace, name }: AccessQuestion): string =>
  JSON.stringify([user, verb, resource, namespace, name]);
