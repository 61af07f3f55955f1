import { SlessError } from '../../../errors.ts';

interface SlotLimits {
  readonly perTenant: number;
  readonly total: number;
}

/** Bounds how many uploads run at once: each holds a zip and a context on disk. */
export interface Slots {
  /** @returns gives the slot back; calling it twice is allowed. @throws SlessError `TooManyRequests` */
  take(tenant: string): () => void;
}

export function createSlots({ perTenant, total }: SlotLimits): Slots {
  const taken = new Map<string, number>();
  let all = 0;
  return {
    take(tenant) {
      const own = taken.get(tenant) ?? 0;
      if (own >= perTenant) throw tooMany(`at most ${perTenant} uploads of one tenant at once`);
      if (all >= total) throw tooMany('too many uploads at once');
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

function tooMany(message: string): SlessError {
  return new SlessError('TooManyRequests', `${message}; try again`, { retryAfterSeconds: 2 });
}
