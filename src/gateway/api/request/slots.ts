import type { ServerResponse } from 'node:http';
import type { Context } from 'hono';
import { SlessError } from '../../../errors.ts';
import type { ApiEnv } from '../deps.ts';

interface SlotLimits {
  /** What is done at once, for errors: `uploads`. */
  readonly what: string;
  readonly perTenant: number;
  readonly total: number;
}

/** Bounds how much is done at once of what holds much memory or disk. */
export interface Slots {
  /** @returns gives the slot back; calling it twice is allowed. @throws SlessError `TooManyRequests` */
  take(tenant: string): () => void;
}

export function createSlots({ what, perTenant, total }: SlotLimits): Slots {
  const taken = new Map<string, number>();
  let all = 0;
  return {
    take(tenant) {
      const own = taken.get(tenant) ?? 0;
      if (own >= perTenant) throw tooMany(`at most ${perTenant} ${what} of one tenant at once`);
      if (all >= total) throw tooMany(`too many ${what} at once`);
      taken.set(tenant, own + 1);
      all += 1;
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        all -= 1;
        const left = (taken.get(tenant) ?? 1) - 1;
        if (left === 0) taken.delete(tenant);
        else taken.set(tenant, left);
      };
    },
  };
}

/**
 * Does the work of a request in a slot of its namespace. The slot is held until the work is done and the answer is
 * through or its caller gone: an answer that nobody reads lies in memory.
 *
 * @throws SlessError `TooManyRequests`
 */
export async function inSlot<T>(slots: Slots, c: Context<ApiEnv>, work: () => Promise<T>): Promise<T> {
  const release = slots.take(c.get('namespace'));
  try {
    return await work();
  } finally {
    afterAnswer(c.env?.outgoing as ServerResponse | undefined, release);
  }
}

/** Without a server there is no answer to wait for. */
function afterAnswer(outgoing: ServerResponse | undefined, release: () => void): void {
  if (outgoing === undefined || outgoing.closed) release();
  else outgoing.once('close', release);
}

function tooMany(message: string): SlessError {
  return new SlessError('TooManyRequests', `${message}; try again`, { retryAfterSeconds: 2 });
}
