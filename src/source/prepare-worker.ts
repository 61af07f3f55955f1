import { parentPort } from 'node:worker_threads';
import { SlessError } from '../errors.ts';
import { type ContextRuntime, type PreparedContext, type PrepareOptions, prepareContext } from './prepare.ts';

/** What the worker is asked. */
export interface PrepareTask {
  readonly zip: string;
  readonly runtime: ContextRuntime;
  readonly options: PrepareOptions;
}

/** Errors lose their class on the way between threads, hence their parts. */
export type AnsweredError = Pick<SlessError, 'code' | 'message' | 'details' | 'retryAfterSeconds' | 'cause'>;

/** What it answers. */
export type PrepareAnswer = { readonly context: PreparedContext } | { readonly error: AnsweredError };

async function answer({ zip, runtime, options }: PrepareTask): Promise<PrepareAnswer> {
  try {
    return { context: await prepareContext(zip, runtime, options) };
  } catch (error) {
    if (!(error instanceof SlessError)) throw error; // ends the thread; whoever waits hears of it
    const { code, message, details, retryAfterSeconds, cause } = error;
    return { error: { code, message, details, retryAfterSeconds, cause } };
  }
}

parentPort?.on('message', async (task: PrepareTask) => parentPort?.postMessage(await answer(task)));
