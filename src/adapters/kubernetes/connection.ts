import type { Readable } from 'node:stream';
import { type Dispatcher, request as send } from 'undici';
import { isSlessError, SlessError } from '../../errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { type Access, type AccessSource, keepAccess } from './access.ts';
import { createAgentKeeper } from './agents.ts';
import { refusalError } from './refusal.ts';

/** One request to the API server. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Beginning with `/`, without the query. */
  readonly path: string;
  /** Absent values are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Of the body; `application/json` where nothing else is said. */
  readonly contentType?: string;
  /** Gives up before the time limit. */
  readonly signal?: AbortSignal;
}

/** Options of an answer that comes bit by bit. */
export interface StreamOptions {
  readonly signal: AbortSignal;
  /** The stream fails after this long without a byte. 0: never. */
  readonly silenceMs: number;
}

/** The way to one API server. Every failure is a SlessError, translated here and nowhere else. */
export interface Connection {
  /** The parsed answer. */
  request(request: ApiRequest): Promise<unknown>;
  /** The answer's bytes. Failures after the head come as errors of the stream, untranslated: see `connectionError`. */
  stream(request: ApiRequest, options: StreamOptions): Promise<Readable>;
  /** Breaks off what runs. */
  close(): Promise<void>;
}

interface ConnectionOptions {
  /** The longest that a request may take, waiting for a free connection included. */
  readonly requestTimeoutMs?: number;
}

/** API servers give up on a request after a minute; whoever waits here is a person or a loop that tries again. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Opens nothing before the first request. */
export function createConnection(
  deps: { readonly access: AccessSource; readonly clock: Clock },
  options: ConnectionOptions = {},
): Connection {
  const access = keepAccess(deps.access, () => deps.clock.now());
  const agents = createAgentKeeper();
  const timeoutMs = options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
  const attempt = async (request: ApiRequest, how: Transfer): Promise<Dispatcher.ResponseData> => {
    const answer = await exchange(request, await readAccess(access), how);
    if (answer.statusCode !== 401) return answer;
    await answer.body.dump();
    return exchange(request, await readAccess(access, true), how);
  };
  const exchange = (request: ApiRequest, shown: Access, how: Transfer) => {
    const { requests, streams } = agents.for(shown);
    return transfer(request, shown, { ...how, dispatcher: how.silenceMs === undefined ? requests : streams });
  };
  return {
    request: (request) => answerOf(request, (signal) => attempt(request, { signal }), timeoutMs),
    stream: async (request, { signal, silenceMs }) => {
      try {
        const answer = await attempt(request, { signal, silenceMs, headTimeoutMs: timeoutMs });
        return answer.statusCode === 200 ? answer.body : await refuse(request, answer);
      } catch (error) {
        throw connectionError(error, askedOf(request));
      }
    },
    close: () => agents.destroy(),
  };
}

interface Transfer {
  readonly signal: AbortSignal;
  readonly silenceMs?: number;
  readonly headTimeoutMs?: number;
  readonly dispatcher?: Dispatcher;
}

async function readAccess(
  access: (afterRefusal?: boolean) => Promise<Access>,
  afterRefusal = false,
): Promise<Access> {
  try {
    return await access(afterRefusal);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new SlessError('Unavailable', `no credentials for the API server: ${why}`, { cause: error });
  }
}

function transfer(
  { method, path, query = {}, body, contentType = 'application/json' }: ApiRequest,
  { server, headers }: Access,
  { dispatcher, signal, silenceMs, headTimeoutMs }: Transfer,
): Promise<Dispatcher.ResponseData> {
  return send(`${server}${path}${searchOf(query)}`, {
    method,
    signal,
    headers: {
      ...headers,
      accept: 'application/json',
      'user-agent': 'sless',
      ...(body === undefined ? {} : { 'content-type': contentType }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(dispatcher === undefined ? {} : { dispatcher }),
    bodyTimeout: silenceMs ?? 0,
    headersTimeout: headTimeoutMs ?? 0,
  });
}

function searchOf(query: NonNullable<ApiRequest['query']>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? '' : `?${given}`;
}

/** The answer of one request, sent once more when an idle connection turned out to be dead under a read. */
async function answerOf(
  request: ApiRequest,
  ask: (signal: AbortSignal) => Promise<Dispatcher.ResponseData>,
  timeoutMs: number,
): Promise<unknown> {
  const limit = AbortSignal.timeout(timeoutMs);
  const signal = request.signal === undefined ? limit : AbortSignal.any([limit, request.signal]);
  const once = async (): Promise<unknown> => {
    const answer = await ask(signal);
    if (answer.statusCode < 200 || answer.statusCode >= 300) return refuse(request, answer);
    return parse(await answer.body.text(), request);
  };
  try {
    return await once().catch((error: unknown) => {
      if (request.method === 'GET' && BROKEN.has(codeOf(error))) return once();
      throw error;
    });
  } catch (error) {
    throw connectionError(error, askedOf(request));
  }
}

/** What an idle connection says that the other side closed while the request was on its way. */
const BROKEN: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

function parse(text: string, request: ApiRequest): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SlessError('Unavailable', `${askedOf(request)}: the answer is no JSON`, { cause: error });
  }
}

async function refuse(
  request: ApiRequest,
  { statusCode, headers, body }: Dispatcher.ResponseData,
): Promise<never> {
  const retryAfter = headers['retry-after'];
  throw refusalError({
    status: statusCode,
    body: await body.text(),
    retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
    asked: askedOf(request),
  });
}

function askedOf({ method, path }: ApiRequest): string {
  return `${method} ${path}`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** `Unavailable` for whatever a socket may throw; a SlessError as it is. */
export function connectionError(error: unknown, asked: string): SlessError {
  if (isSlessError(error)) return error;
  const why = error instanceof Error ? codeOf(error) || error.name : 'unknown';
  return new SlessError('Unavailable', `${asked}: the API server cannot be reached (${WORDS[why] ?? why})`, {
    cause: error,
  });
}

const WORDS: Readonly<Record<string, string>> = {
  TimeoutError: 'it took too long',
  UND_ERR_HEADERS_TIMEOUT: 'it took too long',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_BODY_TIMEOUT: 'it fell silent',
};
