import { setTimeout as sleep } from 'node:timers/promises';
import { isSlessError, SlessError } from '../../errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ClusterEvent, Query, Subscription } from '../../ports/cluster.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Connection } from './connection.ts';
import { listAll, withKind } from './list.ts';
import { type Change, openWatch } from './watch-stream.ts';

/** How a watch behaves towards the server. */
export interface WatchOptions {
  /** Objects a page of the list. */
  readonly pageSize: number;
  /** A stream without a byte for so long is taken for dead. */
  readonly silenceMs: number;
  /** The server ends streams after this long, up to twice as long. */
  readonly streamSeconds: number;
  /** The first wait after a failure; it doubles up to `maxBackoffMs`. */
  readonly minBackoffMs: number;
  readonly maxBackoffMs: number;
  /** A stream that lived shorter and said nothing counts as failed, so that nobody is asked in a tight circle. */
  readonly shortestStreamMs: number;
}

export const WATCH_DEFAULTS: WatchOptions = {
  pageSize: 500,
  // Bookmarks come about once a minute, so two of them are missed before a stream is given up.
  silenceMs: 150_000,
  // 5 to 10 minutes, as client-go: servers that were restarted get their share of watches back in that time.
  streamSeconds: 300,
  minBackoffMs: 800,
  maxBackoffMs: 30_000,
  shortestStreamMs: 1_000,
};

export interface WatchDeps {
  readonly connection: Connection;
  readonly logger: Logger;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** See `Cluster.watch`. */
export function startWatch(
  deps: WatchDeps,
  options: WatchOptions,
  { query, listener }: { readonly query: Query; readonly listener: (event: ClusterEvent) => void },
): Subscription {
  const closing = new AbortController();
  const logger = deps.logger.child({
    watch: query.kind.plural,
    ...(query.namespace && { namespace: query.namespace }),
  });
  const emit = (event: ClusterEvent): void => {
    if (closing.signal.aborted) return;
    try {
      listener(event);
    } catch (error) {
      logger.error({ err: error, event: event.type }, 'a listener of a watch failed');
    }
  };
  const watch: Watch = { ...deps, logger, options, query, emit, signal: closing.signal };
  void run(watch);
  return { close: () => closing.abort() };
}

interface Watch extends WatchDeps {
  readonly options: WatchOptions;
  readonly query: Query;
  readonly emit: (event: ClusterEvent) => void;
  readonly signal: AbortSignal;
}

/** How far a watch has come. */
interface Progress {
  /** Absent: everything must be listed. */
  version: string | undefined;
  /** Failures since the watch was last well. */
  failures: number;
  /** `lost` was said and `synced` not yet. */
  lost: boolean;
}

/**
 * List, then streams one after another from where the last one ended. One broken stream is taken up again at once and
 * without a word, since nothing is missed; when that fails too, the watch is lost until everything was listed anew.
 */
async function run(watch: Watch): Promise<void> {
  const progress: Progress = { version: undefined, failures: 0, lost: false };
  while (!watch.signal.aborted) {
    try {
      if (progress.version === undefined) await relist(watch, progress);
      else await follow(watch, progress, progress.version);
    } catch (error) {
      if (!watch.signal.aborted) await afterFailure(watch, progress, error);
    }
  }
}

async function relist(watch: Watch, progress: Progress): Promise<void> {
  const { connection, query, options, signal } = watch;
  const { objects, version } = await listAll(connection, query, { limit: options.pageSize, signal });
  progress.version = version;
  if (progress.lost) watch.logger.info({ objects: objects.length }, 'the watch is back');
  progress.lost = false;
  watch.emit({ type: 'synced', objects });
}

async function follow(watch: Watch, progress: Progress, version: string): Promise<void> {
  const { connection, clock, query, random, options, signal } = watch;
  const changes = await openWatch(connection, query, {
    version,
    timeoutSeconds: Math.round(options.streamSeconds * (1 + random())),
    silenceMs: options.silenceMs,
    signal,
  });
  const openedAt = clock.now();
  try {
    for await (const change of changes) {
      progress.failures = 0;
      tell(watch, change);
      progress.version = change.version;
    }
  } finally {
    if (clock.now() - openedAt >= options.shortestStreamMs) progress.failures = 0;
  }
  if (clock.now() - openedAt < options.shortestStreamMs)
    throw new SlessError('Unavailable', `the watch of ${query.kind.plural} was ended as soon as it began`);
}

function tell({ emit, query }: Watch, change: Change): void {
  if (change.type !== 'bookmark') emit({ type: change.type, object: withKind(query.kind, change.object) });
}

async function afterFailure(watch: Watch, progress: Progress, error: unknown): Promise<void> {
  const known = isSlessError(error) ? error : new SlessError('Internal', 'a watch failed', { cause: error });
  const firstBreak = progress.version !== undefined && progress.failures === 0;
  progress.failures += 1;
  if (firstBreak && known.retryAfterSeconds === undefined) {
    watch.logger.debug({ err: known }, 'a watch broke off and is taken up again');
    if (known.code === 'Gone') progress.version = undefined;
    return;
  }
  progress.version = undefined;
  if (!progress.lost) {
    progress.lost = true;
    watch.logger.warn({ err: known }, 'a watch is lost; the last known state stands');
    watch.emit({ type: 'lost', error: known });
  }
  await backOff(watch, progress.failures, known.retryAfterSeconds);
}

async function backOff(watch: Watch, failures: number, retryAfterSeconds = 0): Promise<void> {
  const { minBackoffMs, maxBackoffMs } = watch.options;
  const grown = Math.min(maxBackoffMs, minBackoffMs * 2 ** Math.min(failures - 1, 16));
  const wait = Math.max(grown * (0.5 + watch.random() / 2), retryAfterSeconds * 1000);
  await sleep(wait, undefined, { signal: watch.signal }).catch(() => undefined);
}
