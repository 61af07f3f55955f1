import { type Call, type CallPool, startCall } from './call.ts';
import { Endpoint, type EndpointAddress } from './endpoint.ts';
import type { ReadBuffers } from './read-buffers.ts';
import type { Upstream, UpstreamEvents, UpstreamRequest } from './upstream.ts';

/** The connections to all pods of one function. Never shared between functions. */
export interface Pool extends Upstream {
  /** These are the pods now. Connections to others carry what they carry to its end. */
  update(endpoints: readonly EndpointAddress[]): void;
  /** Closes idle connections, now and whenever a call ends. */
  close(): void;
}

export interface PoolSettings {
  readonly connectTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly now: () => number;
  /** A number from 0 to 1, as `Math.random()`. */
  readonly random: () => number;
  readonly buffers: ReadBuffers;
}

/** Makes pools, and looks after the idle connections of them all. */
export interface Pools {
  create(): Pool;
  close(): void;
}

/** Idle connections are looked at so often: often enough to learn quickly what a pod keeps open. */
const SWEEP_MS = 250;
/** Looking at every pod for the least busy one is cheap up to here; beyond, two picked at random do as well. */
const SCAN_LIMIT = 16;

export function createPools(settings: PoolSettings): Pools {
  const all = new Set<PodPool>();
  const timer = setInterval(() => {
    for (const pool of all) pool.sweep();
  }, SWEEP_MS);
  timer.unref();
  return {
    create() {
      const pool = new PodPool(settings, () => all.delete(pool));
      all.add(pool);
      return pool;
    },
    close() {
      clearInterval(timer);
      for (const pool of all) pool.close();
    },
  };
}

class PodPool implements Pool, CallPool {
  readonly #settings: PoolSettings;
  readonly #onClose: () => void;
  readonly #byId = new Map<string, Endpoint>();
  #endpoints: Endpoint[] = [];
  /** Where the next search begins, so that pods which are equally busy take turns. */
  #turn = 0;

  constructor(settings: PoolSettings, onClose: () => void) {
    this.#settings = settings;
    this.#onClose = onClose;
  }

  call(request: UpstreamRequest, events: UpstreamEvents): Call {
    return startCall(this, request, events);
  }

  update(addresses: readonly EndpointAddress[]): void {
    const wanted = new Set(addresses.map((address) => address.id));
    for (const [id, endpoint] of this.#byId) {
      if (wanted.has(id)) continue;
      endpoint.retire();
      this.#byId.delete(id);
    }
    for (const address of addresses) {
      if (!this.#byId.has(address.id)) this.#byId.set(address.id, new Endpoint(address, this.#settings));
    }
    this.#endpoints = [...this.#byId.values()];
  }

  close(): void {
    this.update([]);
    this.#onClose();
  }

  sweep(): void {
    for (const endpoint of this.#endpoints) endpoint.sweep();
  }

  /** The least busy pod that was not tried, rather one whose last connect worked. */
  pick(tried: readonly Endpoint[]): Endpoint | undefined {
    const now = this.#settings.now();
    return (
      this.#least((endpoint) => !tried.includes(endpoint) && !endpoint.avoided(now)) ??
      this.#least((endpoint) => !tried.includes(endpoint))
    );
  }

  #least(fits: (endpoint: Endpoint) => boolean): Endpoint | undefined {
    const count = this.#endpoints.length;
    if (count === 0) return undefined;
    const looked = Math.min(count, SCAN_LIMIT);
    const start = count <= SCAN_LIMIT ? this.#turn : Math.floor(this.#settings.random() * count);
    this.#turn = (this.#turn + 1) % count;
    let best: Endpoint | undefined;
    for (let i = 0; i < count && (i < looked || best === undefined); i += 1) {
      const endpoint = this.#endpoints[(start + i) % count];
      if (endpoint === undefined || !fits(endpoint)) continue;
      if (best === undefined || endpoint.inFlight < best.inFlight) best = endpoint;
    }
    return best;
  }
}
