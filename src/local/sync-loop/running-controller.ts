import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import { groupKey, type Kind } from '../../resources/kube/kinds.ts';
import { controllerOf, type KubeObject } from '../../resources/kube/object.ts';
import { type SyncDeps, syncComposite } from './composite.ts';
import type { ParentRule } from './controllers.ts';
import { syncDecorated } from './decorator.ts';
import { memberKey } from './groups.ts';
import { HookCrash, TooManyRequests } from './hook.ts';
import type { CacheChange } from './object-cache.ts';
import { createRelated, RelatedNotSynced } from './related.ts';
import { selects } from './selector.ts';
import { createWorkQueue, type Outcome, type WorkQueue } from './work-queue.ts';

/** One controller at work: events of caches become keys in a queue, keys become syncs. */
export interface RunningController {
  /** Resolves when the caches of parents and children are filled and work has begun. */
  start(): Promise<void>;
  /** Puts every parent in line. */
  flush(): void;
  busy(): boolean;
  close(): void;
}

export interface ControllerDeps extends Omit<SyncDeps, 'related'> {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onCrash: (error: HookCrash) => void;
  readonly workers: number;
  readonly maxBackoffMs?: number | undefined;
}

interface Core extends SyncDeps {
  /** What fails after the end is nobody's concern: the cluster may be closed by then. */
  readonly isClosed: () => boolean;
  readonly logger: Logger;
  readonly queue: WorkQueue;
  readonly onCrash: (error: HookCrash) => void;
}

export function createRunningController(deps: ControllerDeps): RunningController {
  const { controller, cacheOf, maxBackoffMs } = deps;
  const queue: WorkQueue = createWorkQueue({
    work: (key) => work(core, key),
    workers: deps.workers,
    ...(maxBackoffMs === undefined ? {} : { maxBackoffMs }),
  });
  const fanOut = createFanOut((kind, change) => enqueueRelated(core, kind, change));
  const watched = new Set<Kind>();
  const relatedCache = (kind: Kind) => {
    const cache = cacheOf(kind);
    if (!watched.has(kind)) cache.onChange((change) => fanOut.add(kind, change));
    watched.add(kind);
    return cache;
  };
  const related = createRelated({ ...deps, cacheOf: relatedCache }, controller);
  const logger = deps.logger.child({ controller: controller.name });
  let closed = false;
  const core: Core = { ...deps, related, logger, queue, isClosed: () => closed };
  return {
    async start() {
      for (const rule of controller.parents)
        cacheOf(rule.kind).onChange((change) => parentChanged(core, rule, change));
      for (const { kind } of controller.children)
        cacheOf(kind).onChange((change) => childChanged(core, change));
      await Promise.all(
        [...controller.parents, ...controller.children].map(({ kind }) => cacheOf(kind).ready),
      );
      queue.start();
    },
    flush() {
      for (const rule of controller.parents)
        for (const parent of cacheOf(rule.kind).find({})) enqueue(core, rule, parent);
    },
    busy: () => queue.busy() || fanOut.busy(),
    close() {
      closed = true;
      queue.close();
      fanOut.close();
    },
  };
}

const isParent = (rule: ParentRule, { metadata }: KubeObject) =>
  selects(rule.labels, metadata.labels) && selects(rule.annotations, metadata.annotations);

const keyOf = ({ kind }: ParentRule, parent: KubeObject) => `${groupKey(kind)} ${memberKey(parent)}`;

function enqueue({ queue }: Core, rule: ParentRule, parent: KubeObject): void {
  if (isParent(rule, parent)) queue.add(keyOf(rule, parent));
}

function parentChanged(core: Core, rule: ParentRule, { before, after }: CacheChange): void {
  if (before && after && rule.ignoreStatusChanges && isStatusChange(before, after)) return;
  const parent = after ?? before;
  if (parent) enqueue(core, rule, parent);
}

/** Neither generation, labels, annotations nor a deletion: with `ignoreStatusChanges` no reason for a sync. */
function isStatusChange({ metadata: before }: KubeObject, { metadata: after }: KubeObject): boolean {
  return (
    before.generation === after.generation &&
    isDeepStrictEqual(before.labels, after.labels) &&
    isDeepStrictEqual(before.annotations, after.annotations) &&
    after.deletionTimestamp === undefined
  );
}

function childChanged(core: Core, { before, after }: CacheChange): void {
  const child = after ?? before;
  const owner = child && controllerOf(child);
  if (!owner) return;
  const group = groupOf(owner.apiVersion);
  for (const rule of core.controller.parents) {
    if (rule.kind.kind !== owner.kind || groupOf(rule.kind.apiVersion) !== group) continue;
    const namespace = rule.kind.namespaced ? child.metadata.namespace : undefined;
    const parent = core.cacheOf(rule.kind).get(namespace, owner.name);
    if (parent?.metadata.uid === owner.uid) enqueue(core, rule, parent);
  }
}

const groupOf = (apiVersion: string) => (apiVersion.includes('/') ? apiVersion.split('/')[0] : '');

/** Every parent that a change of a related object concerns; all parents are asked, as Metacontroller does. */
async function enqueueRelated(core: Core, kind: Kind, change: CacheChange): Promise<void> {
  for (const rule of core.controller.parents) {
    for (const parent of core.cacheOf(rule.kind).find({})) {
      const concerned = core.related.concerns(parent, change, kind);
      if (typeof concerned === 'boolean' ? concerned : await concerned) enqueue(core, rule, parent);
    }
  }
}

async function work(core: Core, key: string): Promise<Outcome> {
  const rule = core.controller.parents.find(({ kind }) => key.startsWith(`${groupKey(kind)} `));
  if (!rule) return 'done';
  const name = key.slice(groupKey(rule.kind).length + 1).split('/');
  const parent = core.cacheOf(rule.kind).get(name.at(-2), name.at(-1) ?? '');
  if (!parent || !isParent(rule, parent)) return 'done';
  try {
    await sync(core, rule, parent);
    return 'done';
  } catch (error) {
    return outcomeOf(core, key, error);
  }
}

function sync(core: Core, rule: ParentRule, parent: KubeObject): Promise<void> {
  const scheduled = ({ resyncAfterSeconds }: { readonly resyncAfterSeconds?: number | null | undefined }) => {
    if (resyncAfterSeconds && resyncAfterSeconds > 0)
      core.queue.addAfter(keyOf(rule, parent), resyncAfterSeconds * 1000);
  };
  return core.controller.type === 'composite'
    ? syncComposite(core, parent, scheduled)
    : syncDecorated(core, { object: parent, kind: rule.kind }, scheduled);
}

function outcomeOf({ logger, onCrash, isClosed }: Core, key: string, error: unknown): Outcome {
  if (isClosed()) return 'done';
  if (error instanceof TooManyRequests) {
    logger.info({ object: key, afterMs: error.afterMs }, 'the hook asks to come again later');
    return { afterMs: error.afterMs };
  }
  if (error instanceof HookCrash) {
    onCrash(error);
    return 'done';
  }
  if (!(error instanceof RelatedNotSynced)) logger.warn({ object: key, err: error }, 'SyncError');
  return 'failed';
}

interface FanOut {
  add(kind: Kind, change: CacheChange): void;
  busy(): boolean;
  close(): void;
}

/** Changes of related objects one after another, with a breath in between: each asks every parent. */
function createFanOut(tell: (kind: Kind, change: CacheChange) => Promise<void>): FanOut {
  const line: (readonly [Kind, CacheChange])[] = [];
  let running = false;
  const run = async () => {
    running = true;
    for (let next = line.shift(); next; next = line.shift()) {
      await tell(...next);
      await nextTurn();
    }
    running = false;
  };
  return {
    add(kind, change) {
      line.push([kind, change]);
      if (!running) void run();
    },
    busy: () => running,
    close: () => {
      line.length = 0;
    },
  };
}
