import { afterEach, expect, vi } from 'vitest';
import { createConnection } from '../../src/adapters/kubernetes/connection.ts';
import { startWatch, WATCH_DEFAULTS, type WatchOptions } from '../../src/adapters/kubernetes/watch.ts';
import type { ClusterEvent, Query, Subscription } from '../../src/ports/cluster.ts';
import { KINDS } from '../../src/resources/kube/kinds.ts';
import { silentLogger } from '../contracts/silent-logger.ts';
import { type Collection, startCollection } from './collection.ts';

/** Waits and limits short enough for tests. */
export const QUICK: WatchOptions = {
  ...WATCH_DEFAULTS,
  minBackoffMs: 20,
  maxBackoffMs: 100,
  shortestStreamMs: 0,
};

const opened: (() => void | Promise<void>)[] = [];

/** Done after the test. */
export function later(...undo: readonly (() => void | Promise<void>)[]): void {
  opened.push(...undo);
}

afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

/** A watch and all that it has told. */
export interface Told {
  readonly events: ClusterEvent[];
  /** `synced a,b`, `applied c`, `deleted c`, `lost`. */
  readonly words: () => string[];
  readonly subscription: Subscription;
}

/** Watches ConfigMaps, where nothing else is said, until the end of the test. */
export function watch(
  origin: string,
  options: Partial<WatchOptions> = {},
  query: Query = { kind: KINDS.ConfigMap },
): Told {
  const access = async () => ({ server: origin, tls: {}, headers: {} });
  const connection = createConnection({ access, clock: Date });
  const deps = { connection, logger: silentLogger, clock: Date, random: () => 0.5 };
  const events: ClusterEvent[] = [];
  const listener = (event: ClusterEvent) => void events.push(event);
  const subscription = startWatch(deps, { ...QUICK, ...options }, { query, listener });
  later(
    () => subscription.close(),
    () => connection.close(),
  );
  return { events, words: () => events.map(word), subscription };
}

export function word(event: ClusterEvent): string {
  if (event.type === 'lost') return 'lost';
  if (event.type === 'synced')
    return `synced ${event.objects.map(({ metadata }) => metadata.name).join(',')}`.trim();
  return `${event.type} ${event.object.metadata.name}`;
}

export const until = (check: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 10_000, interval: 5 });

/** A collection with objects of these names, and a watch whose stream has begun. */
export async function watched(
  names: readonly string[],
  options?: Partial<WatchOptions>,
): Promise<[Collection, Told]> {
  const api = await startCollection();
  for (const name of names) api.put(name);
  const told = watch(api.server.origin, options);
  await until(() => expect(api.streams()).toBe(1));
  return [api, told];
}
