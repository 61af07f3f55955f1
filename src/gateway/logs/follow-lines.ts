import type { Cluster, Query } from '../../ports/cluster.ts';
import type { Logger } from '../../ports/logger.ts';
import type { PodLogs } from '../../ports/pod-logs.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { type ContainerReader, startContainerReader } from './container-reader.ts';
import { keyOf, type StartedContainer, startedContainers } from './containers.ts';
import type { WrittenLine } from './line.ts';
import { createLineQueue } from './line-queue.ts';
import { MAX_CONTAINERS } from './newest-lines.ts';
import { formatPosition, type Mark, type Position } from './position.ts';

/** A line, and up to where it was read then: whoever begins there again misses nothing and sees nothing twice. */
export interface FollowedLine extends WrittenLine {
  /** As `formatPosition` writes it. */
  readonly position: string;
}

/** The output of pods as it is written, whatever becomes of each of them. */
export interface FollowedLines {
  /** What is new, soon; nothing after so many milliseconds. */
  take(milliseconds: number): Promise<readonly FollowedLine[]>;
  /** Whether all output of all pods that ended was read, and no pod runs. */
  idle(): boolean;
  close(): void;
}

interface FollowDeps {
  readonly cluster: Pick<Cluster, 'watch'>;
  readonly logs: Pick<PodLogs, 'read'>;
  readonly logger: Logger;
}

interface FollowOptions {
  readonly pods: Query;
  /** Of the pods that there are, those that are meant. */
  readonly accepts: (pod: KubeObject) => boolean;
  readonly from: Position;
  /** Of containers that are not in the position: only what was written after this. */
  readonly after: string | undefined;
}

/** Of one reader, until it takes them. */
const MAX_WAITING_BYTES = 256 * 1024;

/** Begins at once. Containers beyond `MAX_CONTAINERS` are left out until others are gone. */
export function followLines(deps: FollowDeps, options: FollowOptions): FollowedLines {
  const closing = new AbortController();
  const queue = createLineQueue(MAX_WAITING_BYTES);
  const readers = new Map<string, ContainerReader>();
  const taken = new Map<string, Mark>(options.from);
  let synced = false;
  const show = (pod: KubeObject): void => {
    if (!options.accepts(pod)) return;
    for (const container of startedContainers(pod)) {
      const key = keyOf(container.ref);
      const reader = readers.get(key);
      if (reader !== undefined) reader.update(container);
      else if (readers.size < MAX_CONTAINERS)
        readers.set(
          key,
          startContainerReader(
            { ...deps, put: queue.put },
            { container, from: taken.get(key) ?? floor(options.after, container), signal: closing.signal },
          ),
        );
    }
  };
  const leave = (isLeft: (pod: string) => boolean): void => {
    for (const [key, reader] of readers) {
      if (isLeft(key.slice(0, key.indexOf('/')))) reader.gone();
    }
  };
  const watch = deps.cluster.watch(options.pods, (event) => {
    if (event.type === 'applied') show(event.object);
    if (event.type === 'deleted') leave((pod) => pod === event.object.metadata.name);
    if (event.type !== 'synced') return;
    const there = new Set(event.objects.map(({ metadata }) => metadata.name));
    leave((pod) => !there.has(pod));
    for (const pod of event.objects) show(pod);
    synced = true;
  });
  return {
    async take(milliseconds) {
      const lines = await queue.take(milliseconds);
      const followed = lines.map((line) => {
        taken.set(keyOf(line.by), { time: line.time, restarts: line.restarts });
        return { ...line, position: formatPosition(taken) };
      });
      for (const [key, reader] of readers) if (reader.over()) readers.delete(key);
      // What is gone does not come back, and a position shall be short.
      for (const key of taken.keys()) if (synced && !readers.has(key)) taken.delete(key);
      return followed;
    },
    idle: () => synced && [...readers.values()].every((reader) => reader.idle()),
    close: () => {
      closing.abort();
      queue.close();
      watch.close();
    },
  };
}

/** As if it had been read up to then. */
const floor = (after: string | undefined, { restarts }: StartedContainer): Mark | undefined =>
  after === undefined ? undefined : { time: after, restarts };
