import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../ports/clock.ts';
import type { ControllerCluster } from '../../ports/cluster.ts';
import type { Logger } from '../../ports/logger.ts';
import { groupKey, KINDS, type Kind } from '../../resources/kube/kinds.ts';
import type { AppliedMemory } from './children.ts';
import type { Controller } from './controllers.ts';
import { type CallHook, createHooks, type HookCrash } from './hook.ts';
import { createObjectCache, type Gate, type ObjectCache } from './object-cache.ts';
import { createRunningController, type RunningController } from './running-controller.ts';

/** As Metacontroller's `--cache-flush-interval`: every parent is synced this often though nothing happened. */
const FLUSH_MS = 30 * 60_000;
/** As its `--workers`. */
const WORKERS = 5;

export interface SyncLoopDeps {
  readonly cluster: ControllerCluster;
  /** Asks the operator; in local mode its app is called in this process. */
  readonly callHook: CallHook;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Holds caches back, so that tests see what lagging ones do. By default nothing is held. */
  readonly gate?: Gate;
  /**
   * Told when an answer came that ends the whole of Metacontroller; the loop is closed then. By default the error is
   * thrown where nobody catches it, so that the process ends as Metacontroller's does.
   */
  readonly onCrash?: (error: HookCrash) => void;
}

export interface SyncLoopOptions {
  readonly controllers: readonly Controller[];
  /** Kinds that the cluster serves. */
  readonly kinds?: readonly Kind[];
  readonly workers?: number;
  readonly maxBackoffMs?: number;
  readonly flushMs?: number;
}

/** What stands in for Metacontroller, see docs/adr/0009-embedded-mode.md. */
export interface SyncLoop {
  /** Opens the caches; work begins when they are filled. */
  start(): void;
  /**
   * Resolves when nothing is in line, worked on, or about to be tried again, and every cache has been told what the
   * cluster knows. What waits for its time (`resyncAfterSeconds`, long pauses) is not waited for. Over a cluster that is
   * not in this process, events under way cannot be seen: wait for the condition instead.
   */
  idle(): Promise<void>;
  close(): void;
}

export function createSyncLoop(deps: SyncLoopDeps, options: SyncLoopOptions): SyncLoop {
  const kinds = options.kinds ?? Object.values(KINDS);
  const caches = createCaches(deps);
  const hooks = createHooks(deps);
  const memory: AppliedMemory = new Map();
  const timers: NodeJS.Timeout[] = [];
  let started: Promise<unknown> = Promise.resolve();
  let closed = false;
  const close = () => {
    closed = true;
    for (const timer of timers) clearInterval(timer);
    for (const controller of running) controller.close();
    caches.close();
  };
  const onCrash = (error: HookCrash) => {
    close();
    deps.logger.error({ err: error }, 'the loop ends as Metacontroller would');
    (deps.onCrash ?? throwUncaught)(error);
  };
  const running = options.controllers.map((controller) =>
    createRunningController({
      ...deps,
      controller,
      hooks,
      memory,
      kinds,
      onCrash,
      cacheOf: caches.of,
      workers: options.workers ?? WORKERS,
      maxBackoffMs: options.maxBackoffMs,
    }),
  );
  return {
    start() {
      started = Promise.all(running.map((controller) => controller.start()));
      for (const [index, { resyncPeriodSeconds }] of options.controllers.entries()) {
        const periodMs =
          resyncPeriodSeconds === undefined ? (options.flushMs ?? FLUSH_MS) : resyncPeriodSeconds * 1000;
        timers.push(setInterval(() => running[index]?.flush(), periodMs));
      }
    },
    async idle() {
      await started;
      while (!closed && !(await isStill(running))) await sleep(2);
    },
    close,
  };
}

/** Quiet for some turns of the event loop: in one process a write's event is told within one. */
async function isStill(running: readonly RunningController[]): Promise<boolean> {
  for (let turn = 0; turn < 5; turn += 1) {
    if (running.some((controller) => controller.busy())) return false;
    await nextTurn();
  }
  return true;
}

function throwUncaught(error: Error): void {
  queueMicrotask(() => {
    throw error;
  });
}

function createCaches(deps: SyncLoopDeps) {
  const caches = new Map<string, ObjectCache>();
  const gate = deps.gate ?? ((_, deliver) => deliver());
  return {
    of(kind: Kind): ObjectCache {
      const known = caches.get(groupKey(kind));
      if (known) return known;
      const cache = createObjectCache({ cluster: deps.cluster, gate }, kind);
      caches.set(groupKey(kind), cache);
      return cache;
    },
    close() {
      for (const cache of caches.values()) cache.close();
    },
  };
}
