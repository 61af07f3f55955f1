import { rm } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { SlessError } from '../errors.ts';
import type { ContextRuntime, PreparedContext, PrepareOptions, prepareContext } from './prepare.ts';
import type { AnsweredError, PrepareAnswer, PrepareTask } from './prepare-worker.ts';

/** `prepareContext` in threads of its own. */
export interface ContextPreparer {
  /** As `prepareContext`, and `Unavailable` (with a time to come back) when too many are waiting or after `close`. */
  readonly prepare: typeof prepareContext;
  /** Lets what runs end, refuses what waits, and ends the threads. */
  close(): Promise<void>;
}

export interface PreparerOptions {
  /**
   * Zips at once. One (the default) leaves every other core to whoever is being served: uploads queue for tenths of a
   * second rather than slow down calls.
   */
  readonly threads?: number;
  /** Zips that may wait. Each holds a file of up to 32 MiB on disk: 64 by default. */
  readonly maxWaiting?: number;
  /** Milliseconds after which a thread without work ends, and with it its memory: 30,000 by default. */
  readonly idleMilliseconds?: number;
  /** Milliseconds that one zip may take, 60,000 by default: the largest needs two or three seconds. */
  readonly timeoutMilliseconds?: number;
}

interface Job {
  readonly task: PrepareTask;
  readonly resolve: (context: PreparedContext) => void;
  readonly reject: (error: Error) => void;
}

/** Starts no thread before the first zip. */
export function createContextPreparer(options: PreparerOptions = {}): ContextPreparer {
  const { threads = 1, maxWaiting = 64, idleMilliseconds = 30_000, timeoutMilliseconds = 60_000 } = options;
  const waiting: Job[] = [];
  const source = { next: () => waiting.shift(), idleMilliseconds, timeoutMilliseconds };
  const lanes = Array.from({ length: threads }, () => createLane(source));
  let closed = false;
  return {
    prepare(zip: string, runtime: ContextRuntime, prepareOptions: PrepareOptions) {
      if (closed || waiting.length >= maxWaiting) return Promise.reject(busy());
      return new Promise((resolve, reject) => {
        waiting.push({
          task: { zip, runtime: bareRuntime(runtime), options: prepareOptions },
          resolve,
          reject,
        });
        lanes.find((lane) => lane.isIdle())?.wake();
      });
    },
    async close() {
      closed = true;
      for (const job of waiting.splice(0)) job.reject(busy());
      await Promise.all(lanes.map((lane) => lane.close()));
    },
  };
}

/** Only what is needed crosses to the thread. */
function bareRuntime(runtime: ContextRuntime): ContextRuntime {
  const { title, entrypoint, moduleSuffixes, install, asking } = runtime;
  return { title, entrypoint, moduleSuffixes, install, asking };
}

function busy(): SlessError {
  return new SlessError('Unavailable', 'too many uploads at once; try again', { retryAfterSeconds: 2 });
}

interface Lane {
  isIdle(): boolean;
  wake(): void;
  close(): Promise<void>;
}

interface JobSource {
  next(): Job | undefined;
  readonly idleMilliseconds: number;
  readonly timeoutMilliseconds: number;
}

/** One thread at most, that takes one job after another. */
function createLane(source: JobSource): Lane {
  let worker: Worker | undefined;
  let current: Promise<void> | undefined;
  let idle: NodeJS.Timeout | undefined;
  const begin = (): Worker => {
    const started = startWorker();
    // A thread may also die while it has nothing to do; then the next job begins another.
    started.on('error', () => {});
    started.once('exit', () => {
      if (worker === started) worker = undefined;
    });
    return started;
  };
  const stop = async (): Promise<void> => {
    const ending = worker;
    worker = undefined;
    await ending?.terminate();
  };
  const work = async (): Promise<void> => {
    clearTimeout(idle);
    for (let job = source.next(); job !== undefined; job = source.next()) {
      worker ??= begin();
      if (await runJob(worker, job, source.timeoutMilliseconds)) continue;
      await stop();
      await rm(job.task.options.destination, { force: true });
    }
    current = undefined;
    worker?.unref();
    idle = setTimeout(stop, source.idleMilliseconds).unref();
  };
  return {
    isIdle: () => current === undefined,
    wake: () => {
      current ??= work();
    },
    async close() {
      await current;
      clearTimeout(idle);
      await stop();
    },
  };
}

/** Bounds what a mistake of ours could take of the process's memory. */
const MAX_HEAP_MIB = 128;

/** A zip makes little garbage that lives: a small nursery costs no time and keeps the thread 30 MB smaller (measured). */
const MAX_YOUNG_MIB = 4;

/** The sources run as `.ts`, the published package as `.js`; the worker lies beside this file in both. */
const WORKER_URL = new URL(
  `./prepare-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`,
  import.meta.url,
);

function startWorker(): Worker {
  return new Worker(WORKER_URL, {
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB, maxYoungGenerationSizeMb: MAX_YOUNG_MIB },
  });
}

/** @returns whether the thread can go on. */
function runJob(worker: Worker, job: Job, timeoutMilliseconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (alive: boolean): void => {
      // Not `removeAllListeners`: the Worker listens to itself to keep its port going.
      clearTimeout(timer);
      worker.off('message', answered).off('error', died).off('exit', ended);
      resolve(alive);
    };
    const answered = (answer: PrepareAnswer): void => {
      if ('context' in answer) job.resolve(answer.context);
      else job.reject(revive(answer.error));
      settle(true);
    };
    const died = (cause: unknown): void => {
      job.reject(new SlessError('Internal', 'the upload could not be prepared', { cause }));
      settle(false);
    };
    const ended = (code: number): void => died(new Error(`the thread ended with ${code}`));
    const late = (): void => died(new Error(`it took longer than ${timeoutMilliseconds} ms`));
    const timer = setTimeout(late, timeoutMilliseconds);
    worker.on('message', answered).on('error', died).on('exit', ended);
    worker.ref();
    worker.postMessage(job.task);
  });
}

/** An error that crossed between the threads, made whole again. */
function revive({ code, message, details, retryAfterSeconds, cause }: AnsweredError): SlessError {
  const retry = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return new SlessError(code, message, { details, cause, ...retry });
}
