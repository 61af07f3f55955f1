import { z } from 'zod';
import type { Target } from './contexts.ts';
import { CliFailure, EXIT } from './failure.ts';
import type { World } from './world.ts';

/** One request of `/v1/namespaces/{ns}`. */
export interface Ask {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly json?: unknown;
  /** Made anew for each try. */
  readonly body?: () => { readonly stream: ReadableStream<Uint8Array>; readonly type: string };
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** The REST API as commands use it. Failures are CliFailures in one sentence. */
export interface Client {
  readonly target: Target;
  /** The answer's JSON; `undefined` for 204. */
  ask<T>(method: string, path: string, ask?: Ask): Promise<T>;
  /** The answer as it comes, for streams. */
  open(method: string, path: string, ask?: Ask): Promise<Response>;
  /** All items of a list, page after page. */
  all<T>(path: string, query?: Ask['query']): Promise<T[]>;
}

const MAX_TRIES = 6;
const MAX_WAIT_SECONDS = 30;

/** Tried again, after the time that they say; anything else of a POST may have been done already. */
const RETRIED = new Set([429, 503]);
/** Of a request that only reads also these, which a gateway answers while the api behind it goes from one pod to another. */
const RETRIED_READS = new Set([...RETRIED, 502, 504]);
/** Over a connection that breaks or is refused, which ends sooner: most often the address is wrong. */
const MAX_READS = 3;

export function createClient({ fetch, sleep }: Pick<World, 'fetch' | 'sleep'>, target: Target): Client {
  const open = async (method: string, path: string, ask: Ask = {}): Promise<Response> => {
    const isRead = method === 'GET';
    for (let tries = 1; ; tries++) {
      const response = await send(fetch, target, { method, path, ask }).catch((error: unknown) => {
        if (!isRead || tries >= MAX_READS || ask.signal?.aborted) throw error;
        return undefined;
      });
      if (response === undefined) {
        await sleep(1000 * tries);
        continue;
      }
      if (response.ok) return response;
      const isRetried = (isRead ? RETRIED_READS : RETRIED).has(response.status);
      if (!isRetried || tries === MAX_TRIES) throw await failureOf(response);
      await response.body?.cancel();
      await sleep(1000 * Math.min(MAX_WAIT_SECONDS, Number(response.headers.get('retry-after')) || tries));
    }
  };
  const ask = async <T>(method: string, path: string, options?: Ask): Promise<T> => {
    const response = await open(method, path, options);
    // The types are generated from the document that this very api publishes.
    return (response.status === 204 ? undefined : await response.json()) as T;
  };
  return {
    target,
    open,
    ask,
    all: async <T>(path: string, query: Ask['query'] = {}) => {
      const found: T[] = [];
      let cursor: string | null = null;
      do {
        const page: { items: T[]; next: string | null } = await ask('GET', path, {
          query: { ...query, ...(cursor === null ? {} : { cursor }) },
        });
        found.push(...page.items);
        cursor = page.next;
      } while (cursor !== null);
      return found;
    },
  };
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly ask: Ask;
}

async function send(fetch: World['fetch'], target: Target, { method, path, ask }: Sent): Promise<Response> {
  const url = new URL(`${target.endpoint}/v1/namespaces/${target.namespace}${path}`);
  for (const [name, value] of Object.entries(ask.query ?? {}))
    if (value !== undefined) url.searchParams.set(name, String(value));
  const made = ask.body?.();
  const type = ask.json === undefined ? made?.type : 'application/json';
  const body = ask.json === undefined ? made?.stream : JSON.stringify(ask.json);
  try {
    return await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${target.token}`,
        accept: ask.accept ?? 'application/json',
        ...ask.headers,
        ...(type === undefined ? {} : { 'content-type': type }),
      },
      ...(body === undefined ? {} : { body, duplex: 'half' }),
      ...(ask.signal === undefined ? {} : { signal: ask.signal }),
      redirect: 'error',
    });
  } catch (error) {
    if (ask.signal?.aborted) throw error;
    throw new CliFailure(`${target.endpoint} cannot be reached: ${causeOf(error)}`, EXIT.unavailable, {
      cause: error,
    });
  }
}

function causeOf(error: unknown): string {
  const { cause } = error as { readonly cause?: { readonly code?: string; readonly message?: string } };
  return cause?.code ?? cause?.message ?? String(error);
}

const errorSchema = z.object({
  error: z.string(),
  code: z.string(),
  details: z.array(z.string()).default([]),
});

const CODES: Readonly<Record<number, number>> = {
  401: EXIT.unauthenticated,
  403: EXIT.unauthenticated,
  404: EXIT.notFound,
  409: EXIT.conflict,
  429: EXIT.unavailable,
  502: EXIT.unavailable,
  503: EXIT.unavailable,
};

/** What the api said, in one sentence; a line more for each single mistake. */
async function failureOf(response: Response): Promise<CliFailure> {
  const text = await response.text();
  const exitCode = CODES[response.status] ?? EXIT.failed;
  const read = errorSchema.safeParse(jsonOf(text));
  if (!read.success)
    return new CliFailure(
      `HTTP ${response.status} from ${response.url}, which does not look like sless`,
      exitCode,
    );
  const { error, code, details } = read.data;
  const more = details.length > 1 ? details.map((detail) => `\n  ${detail}`).join('') : '';
  const hint = response.status === 401 ? '; `sless login` again' : '';
  return new CliFailure(`${error}${hint} (${code})${more}`, exitCode);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
