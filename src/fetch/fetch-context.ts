import { readFile } from 'node:fs/promises';
import { isSlessError, SlessError } from '../errors.ts';
import { mayPass } from './refusal.ts';
import { requestContext } from './request.ts';
import { type Destination, storeContext } from './store-context.ts';

export interface FetchOptions extends Destination {
  /** The api's internal route with its query. */
  readonly url: string;
  /** The pod's projected token; read anew for each try, since it is renewed. */
  readonly tokenFile: string;
}

export interface FetchDeps {
  /** Waits for so many milliseconds. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Hears of tries that failed. */
  readonly note: (line: string) => void;
}

/** With the pauses between them these outlive a restart of the api, some 25 s. */
const MAX_TRIES = 8;
const MIN_PAUSE_MS = 250;
const MAX_PAUSE_MS = 8000;
const MAX_RETRY_AFTER_SECONDS = 30;

/**
 * Brings a build's context into its pod.
 *
 * @throws SlessError the last failure; `exitCodeOf` says what it means for the build
 */
export async function fetchContext(deps: FetchDeps, options: FetchOptions): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(options);
    } catch (error) {
      if (!isSlessError(error)) throw error;
      if (tries === MAX_TRIES || !mayPass(error, tries)) throw error;
      const pause = pauseAfter(error, tries, deps.random());
      deps.note(
        `try ${tries} of ${MAX_TRIES} failed, again in ${Math.round(pause)} ms: ${error.code}: ${error.message}`,
      );
      await deps.sleep(pause);
    }
  }
}

async function attempt({ url, tokenFile, ...destination }: FetchOptions): Promise<void> {
  const token = await readToken(tokenFile);
  const body = await requestContext(url, token);
  try {
    await storeContext(body, destination);
  } finally {
    body.destroy();
  }
}

async function readToken(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (cause) {
    throw new SlessError('Unavailable', "the pod's token cannot be read", { cause });
  }
}

/** Doubled each time, jittered so that builds that were refused together do not come back together. */
function pauseAfter({ retryAfterSeconds = 0 }: SlessError, tries: number, random: number): number {
  const grown = Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** (tries - 1)) * (0.5 + random / 2);
  return Math.max(grown, Math.min(retryAfterSeconds, MAX_RETRY_AFTER_SECONDS) * 1000);
}
