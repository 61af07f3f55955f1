import type { ServerResponse } from 'node:http';
import type { Context } from 'hono';
import { SlessError } from '../../../errors.ts';
import type { ApiEnv } from '../deps.ts';

interface SlotLimits {
  /** What is done at once, for errors: `uploads`. */
  readonly what: string;
  readonly perTenant: number;
  readonly total: number;
  /** Milliseconds that somebody waits for a slot before being told to try again; 0 by default. */
  readonly waitMs?: number;
}

/** Bounds how much is done at once of what holds much memory or disk. */
export interface Slots {
  /**
   * Waits for a slot, in the order of those who came. `gone` ends the wait early: nobody wants the slot any more.
   *
   * @returns gives the slot back; calling it twice is allowed. @throws SlessError `TooManyRequests`
   */
  take(tenant: string, gone?: AbortSignal): Promise<() => void>;
}

/** For each slot so many may wait: who waits holds a connection, and comes to nothing behind too many others. */
const WAITING_PER_SLOT = 4;

interface Waiter {
  readonly tenant: string;
  /** Takes the slot that is free now. */
  grant(): void;
}

export function createSlots({ what, perTenant, total, waitMs = 0 }: SlotLimits): Slots {
  const taken = new Map<string, number>();
  const waiting: Waiter[] = [];
  let all = 0;
  const full = (tenant: string): string | undefined => {
    if ((taken.get(tenant) ?? 0) >= perTenant) return `at most ${perTenant} ${what} of one tenant at once`;
    return all >= total ? `too many ${what} at once` : undefined;
  };
  const release = (tenant: string): void => {
    all -= 1;
    const left = (taken.get(tenant) ?? 1) - 1;
    if (left === 0) taken.delete(tenant);
    else taken.set(tenant, left);
    waiting.find((waiter) => full(waiter.tenant) === undefined)?.grant();
  };
  const hold = (tenant: string): (() => void) => {
    taken.set(tenant, (taken.get(tenant) ?? 0) + 1);
    all += 1;
    let held = true;
    return () => {
      if (held) release(tenant);
      held = false;
    };
  };
  const mayWait = (tenant: string): boolean =>
    waitMs > 0 &&
    waiting.length < total * WAITING_PER_SLOT &&
    waiting.filter((waiter) => waiter.tenant === tenant).length < perTenant * WAITING_PER_SLOT;
  return {
    async take(tenant, gone) {
      const why = full(tenant);
      if (why === undefined) return hold(tenant);
      if (!mayWait(tenant)) throw tooMany(why);
      if (gone?.aborted === true) throw broken();
      const { promise, resolve, reject } = Promise.withResolvers<() => void>();
      const waiter = { tenant, grant: () => settle(() => resolve(hold(tenant))) };
      const settle = (end: () => void): void => {
        clearTimeout(timer);
        gone?.removeEventListener('abort', leave);
        waiting.splice(waiting.indexOf(waiter), 1);
        end();
      };
      const leave = (): void => settle(() => reject(broken()));
      const timer = setTimeout(() => settle(() => reject(tooMany(why))), waitMs);
      gone?.addEventListener('abort', leave);
      waiting.push(waiter);
      return promise;
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
  const outgoing = c.env?.outgoing as ServerResponse | undefined;
  const release = await slots.take(c.get('namespace'), closing(outgoing));
  try {
    return await work();
  } finally {
    afterAnswer(outgoing, release);
  }
}

/** Aborts when the caller leaves. */
function closing(outgoing: ServerResponse | undefined): AbortSignal {
  const gone = new AbortController();
  if (outgoing?.closed === true) gone.abort();
  else outgoing?.once('close', () => gone.abort());
  return gone.signal;
}

/** Without a server there is no answer to wait for. */
function afterAnswer(outgoing: ServerResponse | undefined, release: () => void): void {
  if (outgoing === undefined || outgoing.closed) release();
  else outgoing.once('close', release);
}

function tooMany(message: string): SlessError {
  return new SlessError('TooManyRequests', `${message}; try again`, { retryAfterSeconds: 2 });
}

const broken = (): SlessError => new SlessError('InvalidRequest', 'the request was broken off');
