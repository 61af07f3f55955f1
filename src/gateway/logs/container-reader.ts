import { setTimeout as sleep } from 'node:timers/promises';
import { isSlessError } from '../../errors.ts';
import type { Logger } from '../../ports/logger.ts';
import type { PodLogs } from '../../ports/pod-logs.ts';
import type { StartedContainer } from './containers.ts';
import type { WrittenLine } from './line.ts';
import type { Mark } from './position.ts';

/** Reads one container on, from run to run. */
export interface ContainerReader {
  /** Whether it has read all that it knows of. */
  idle(): boolean;
  /** Whether it never reads again. */
  over(): boolean;
  /** What is known of the container now. */
  update(container: StartedContainer): void;
  /** Its pod is gone: what can still be read is read. */
  gone(): void;
}

interface ReaderDeps {
  readonly logs: Pick<PodLogs, 'read'>;
  readonly logger: Logger;
  /** Takes a line, in its own time; `false` ends the reading. */
  readonly put: (line: WrittenLine) => Promise<boolean>;
}

interface ReaderOptions {
  readonly container: StartedContainer;
  readonly from: Mark | undefined;
  readonly signal: AbortSignal;
}

const MIN_RETRY_MS = 500;
const MAX_RETRY_MS = 15_000;
/** A log that ends while its container runs was cut on the way. */
const CUT_MS = 1000;

/** Begins at once, and goes on until `signal` is aborted or the pod is gone. */
export function startContainerReader(deps: ReaderDeps, options: ReaderOptions): ContainerReader {
  const { signal } = options;
  const pass = createPasses(deps, options);
  let known = options.container;
  let isGone = false;
  let [isIdle, isOver] = [false, false];
  let change = Promise.withResolvers<void>();
  const changed = (): void => {
    change.resolve();
    change = Promise.withResolvers();
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const [seen, news] = [known, change.promise];
      isIdle = false;
      await pass(seen);
      if (isGone) return;
      isIdle = seen === known && !seen.running;
      await Promise.race([news, seen.running ? pause(CUT_MS, signal) : aborted(signal)]);
    }
  };
  void run().finally(() => {
    [isIdle, isOver] = [true, true];
  });
  return {
    idle: () => isIdle,
    over: () => isOver,
    update: (container) => {
      if (container.restarts === known.restarts && container.running === known.running) return;
      known = container;
      isIdle = false;
      changed();
    },
    gone: () => {
      isGone = true;
      changed();
    },
  };
}

/** Reads everything that is new, and on while the container runs; again after a while when it cannot be read. */
function createPasses(
  { logs, logger, put }: ReaderDeps,
  { container: { ref }, from, signal }: ReaderOptions,
): (seen: StartedContainer) => Promise<void> {
  let mark = from;
  const take = async (restarts: number, previous: boolean): Promise<void> => {
    const after = mark === undefined ? {} : { after: mark.time };
    for await (const line of logs.read(ref, { ...after, previous, follow: !previous, signal })) {
      if (!(await put({ ...line, by: ref, restarts }))) return;
      mark = { time: line.time, restarts };
    }
  };
  const once = async ({ restarts }: StartedContainer): Promise<void> => {
    if (mark !== undefined && mark.restarts < restarts) await take(restarts - 1, true).catch(unlessNotFound);
    await take(restarts, false).catch(unlessNotFound);
    if (mark !== undefined) mark = { ...mark, restarts };
  };
  return async (seen) => {
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        return await once(seen);
      } catch (error) {
        if (failures === 1) logger.warn({ err: error, ...ref }, 'the log of a container cannot be read now');
        await pause(Math.min(MAX_RETRY_MS, MIN_RETRY_MS * 2 ** failures), signal);
      }
    }
  };
}

/** The pod is gone, or the run is not kept. */
function unlessNotFound(error: unknown): void {
  if (!isSlessError(error, 'NotFound')) throw error;
}

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, { signal }).catch(() => undefined);

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
