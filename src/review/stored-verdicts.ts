import { text } from 'node:stream/consumers';
import { isSlessError } from '../errors.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import type { VerdictStore } from './gate.ts';
import { readVerdict } from './verdict.ts';

/** A verdict is some hundred bytes. Whatever is larger is not ours. */
const MAX_BYTES = 4096;

/** Verdicts as objects under `reviews/`, beside the uploads: kept over restarts, and the same for every api. */
export function storedVerdicts(store: Pick<ObjectStore, 'get' | 'put'>): VerdictStore {
  const keyOf = (key: string): string => `reviews/${key}.json`;
  return {
    read: async (key) => {
      try {
        const object = await store.get(keyOf(key));
        if (object.size > MAX_BYTES) {
          object.body.destroy();
          return undefined;
        }
        // Read as strictly as what the model says: a damaged one is asked for again.
        return readVerdict(await text(object.body));
      } catch (error) {
        if (isSlessError(error, 'NotFound')) return undefined;
        throw error;
      }
    },
    write: async (key, verdict) => {
      const body = Buffer.from(JSON.stringify(verdict));
      await store.put(keyOf(key), body, { size: body.length });
    },
  };
}
