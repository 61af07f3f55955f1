import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../ports/logger.ts';
import type { ObjectStore } from '../ports/object-store.ts';

/** Asks a store until it answers once. */
export interface StoreProbe {
  /** Whether it has answered. Stays true: while it is away later, all that needs no code goes on. */
  answered(): boolean;
  close(): void;
}

const RETRY_MS = 2000;
/** Nothing lies there. A list tells an absent bucket from an empty one, which a look at one object does not. */
const PREFIX = 'readiness/';

/** Begins at once. Until the store answers, each failure is logged: mostly a setting is wrong. */
export function probeStore(store: Pick<ObjectStore, 'list'>, logger: Logger): StoreProbe {
  const closing = new AbortController();
  let answered = false;
  const run = async (): Promise<void> => {
    while (!answered && !closing.signal.aborted) {
      try {
        for await (const _ of store.list(PREFIX)) break;
        answered = true;
      } catch (error) {
        logger.warn({ err: error }, 'the object store cannot be used yet');
        await sleep(RETRY_MS, undefined, { signal: closing.signal }).catch(() => undefined);
      }
    }
  };
  void run();
  return { answered: () => answered, close: () => closing.abort() };
}
