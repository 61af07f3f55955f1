import type { MonotonicClock } from '../ports/clock.ts';
import type { FunctionPods, Invoker } from '../ports/invoker.ts';
import { createPools, type Pool } from '../upstream/pool.ts';
import { createReadBuffers } from '../upstream/read-buffers.ts';
import { createHttpInvoker } from './http-invoker.ts';

/** Calls functions at the addresses that it is told. */
export interface PodInvoker {
  readonly invoker: Invoker;
  readonly pods: FunctionPods;
  close(): void;
}

interface PodInvokerDeps {
  readonly monotonic: MonotonicClock;
  /** Numbers from 0 to 1, such as `Math.random`. */
  readonly random: () => number;
}

/** As the proxy has it. */
const CONNECT_MS = 2000;
const IDLE_MS = 30_000;
/** Of an answer that nobody looks at but for its status, and its beginning for the reason of a dead letter. */
const MAX_BODY = 4096;

export function createPodInvoker({ monotonic, random }: PodInvokerDeps): PodInvoker {
  const byKey = new Map<string, Pool>();
  const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;
  const pools = createPools({
    connectTimeoutMs: CONNECT_MS,
    idleTimeoutMs: IDLE_MS,
    now: () => monotonic.now(),
    random,
    buffers: createReadBuffers(),
  });
  return {
    invoker: createHttpInvoker(
      { locate: (namespace, name) => byKey.get(keyOf(namespace, name)) },
      { maxBody: MAX_BODY },
    ),
    pods: {
      update(namespace, name, addresses) {
        const key = keyOf(namespace, name);
        const pool = byKey.get(key) ?? pools.create();
        byKey.set(key, pool);
        pool.update(addresses);
      },
      forget(namespace, name) {
        const key = keyOf(namespace, name);
        byKey.get(key)?.close();
        byKey.delete(key);
      },
    },
    close: () => pools.close(),
  };
}
