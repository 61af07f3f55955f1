import { type Dispatcher, errors } from 'undici';
import { isSlessError, SlessError } from '../errors.ts';
import type { Invocation, InvocationResult, Invoker } from '../ports/invoker.ts';

interface HttpInvokerDeps {
  /** Connections; its own limits on time must be no shorter than those of invocations. */
  readonly dispatcher: Dispatcher;
  /** Where a function listens, such as `http://hello.ns.svc.cluster.local:8080`; `undefined` when nothing does. */
  readonly locate: (namespace: string, name: string) => string | undefined;
}

interface HttpInvokerOptions {
  /** Bytes of an answer's body that are kept; what is beyond is thrown away and the result marked. */
  readonly maxBody: number;
}

/** Calls functions over HTTP/1.1. Nothing is followed, decoded or tried again. */
export function createHttpInvoker(deps: HttpInvokerDeps, { maxBody }: HttpInvokerOptions): Invoker {
  return {
    invoke: async (invocation) => {
      const origin = deps.locate(invocation.namespace, invocation.function);
      if (origin === undefined) throw unreachable(invocation);
      const timeout = AbortSignal.timeout(invocation.timeoutMs);
      const signal = AbortSignal.any([timeout, ...(invocation.signal ? [invocation.signal] : [])]);
      try {
        return await call(deps.dispatcher, { origin, invocation, signal, maxBody });
      } catch (error) {
        throw timeout.aborted ? timedOut(invocation, error) : translate(error, invocation);
      }
    },
  };
}

interface Call {
  readonly origin: string;
  readonly invocation: Invocation;
  readonly signal: AbortSignal;
  readonly maxBody: number;
}

async function call(
  dispatcher: Dispatcher,
  { origin, invocation, signal, maxBody }: Call,
): Promise<InvocationResult> {
  const { statusCode, headers, body } = await dispatcher.request({
    origin,
    path: invocation.path,
    method: invocation.method as Dispatcher.HttpMethod, // any token is sent as it is
    headers: invocation.headers,
    body: invocation.body.length === 0 ? null : invocation.body,
    signal,
    // The signal alone counts the time: undici's own limits would cut a slow answer that may still take longer.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const kept: Uint8Array[] = [];
  let room = maxBody;
  let truncated = false;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    if (chunk.length > room) truncated = true;
    if (room > 0) kept.push(chunk.subarray(0, room));
    room -= Math.min(room, chunk.length);
    if (truncated) break; // ends the connection: an endless body must not be read to its end
  }
  return { status: statusCode, headers: present(headers), body: Buffer.concat(kept), truncated };
}

function present(headers: Dispatcher.ResponseData['headers']): InvocationResult['headers'] {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string | string[]] => entry[1] !== undefined),
  );
}

const CONNECT_CODES = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ENOENT',
]);

function translate(error: unknown, invocation: Invocation): unknown {
  if (isSlessError(error) || invocation.signal?.aborted) return error;
  if (error instanceof errors.InvalidArgumentError) {
    return new SlessError('InvalidRequest', `the call cannot be sent: ${error.message}`, { cause: error });
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (error instanceof errors.ConnectTimeoutError || CONNECT_CODES.has(code))
    return unreachable(invocation, error);
  return new SlessError(
    'UpstreamInvalid',
    `${nameOf(invocation)} broke off its answer or sent no valid HTTP`,
    {
      cause: error,
    },
  );
}

const nameOf = ({ namespace, function: name }: Invocation): string => `the function ${namespace}/${name}`;

const unreachable = (invocation: Invocation, cause?: unknown): SlessError =>
  new SlessError('UpstreamUnreachable', `nothing listens for ${nameOf(invocation)}`, { cause });

const timedOut = (invocation: Invocation, cause: unknown): SlessError =>
  new SlessError(
    'FunctionTimeout',
    `${nameOf(invocation)} did not answer within ${invocation.timeoutMs} ms`,
    {
      cause,
    },
  );
