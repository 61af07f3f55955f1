import { SlessError } from '../errors.ts';
import type { Invocation, InvocationResult, Invoker } from '../ports/invoker.ts';
import type { ResponseHead } from '../upstream/response-head.ts';
import type { Upstream, UpstreamCall, UpstreamEvents, UpstreamRequest } from '../upstream/upstream.ts';

interface HttpInvokerDeps {
  /** The pods of a function; `undefined` when there are none. */
  readonly locate: (namespace: string, name: string) => Upstream | undefined;
}

interface HttpInvokerOptions {
  /** Bytes of an answer's body that are kept; what is beyond is read and thrown away, and the result marked. */
  readonly maxBody: number;
}

/**
 * Calls functions over HTTP/1.1, with the client of `/fn`. Nothing is followed, decoded or tried again. Every answer is read to its end, also
 * where nobody wants the rest: a function that works while it answers would be cut off in the midst of it. The time limit ends those without end.
 */
export function createHttpInvoker({ locate }: HttpInvokerDeps, { maxBody }: HttpInvokerOptions): Invoker {
  return {
    invoke: async (invocation) => {
      const request = requestOf(invocation);
      const upstream = locate(invocation.namespace, invocation.function);
      if (upstream === undefined)
        throw new SlessError('UpstreamUnreachable', `nothing listens for ${nameOf(invocation)}`);
      invocation.signal?.throwIfAborted();
      return call(upstream, request, { invocation, maxBody });
    },
  };
}

interface CallOptions {
  readonly invocation: Invocation;
  readonly maxBody: number;
}

function call(
  upstream: Upstream,
  request: UpstreamRequest,
  { invocation, maxBody }: CallOptions,
): Promise<InvocationResult> {
  return new Promise((resolve, reject) => {
    const { signal, timeoutMs } = invocation;
    const answer = collect(maxBody);
    let running: UpstreamCall | undefined;
    const settle = (outcome: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
      outcome();
    };
    const cut = (outcome: () => void): void => {
      running?.abort();
      settle(outcome);
    };
    const giveUp = (): void => cut(() => reject(signal?.reason));
    const timer = setTimeout(() => cut(() => reject(timedOut(invocation))), timeoutMs);
    signal?.addEventListener('abort', giveUp, { once: true });
    const events: UpstreamEvents = {
      ready: () => {},
      information: () => {},
      head: (head) => answer.head(head),
      body: (bytes) => answer.body(bytes),
      flush: () => true,
      end: () => {
        settle(() => resolve(answer.result()));
        return true;
      },
      // Never asked for, so never said: the parser refuses a 101 to such a request.
      switched: (_head, { socket }) => socket.destroy(),
      failed: (error) => settle(() => reject(error)),
    };
    running = upstream.call(request, events);
  });
}

function collect(maxBody: number) {
  const kept: Buffer[] = [];
  let room = maxBody;
  let truncated = false;
  let seen: ResponseHead | undefined;
  return {
    head: (head: ResponseHead): void => {
      seen = head;
    },
    body: (bytes: Buffer): void => {
      if (room > 0) kept.push(Buffer.from(bytes.subarray(0, room)));
      truncated ||= bytes.length > room;
      room -= Math.min(room, bytes.length);
    },
    result: (): InvocationResult => ({
      status: seen?.status ?? 0,
      headers: headersOf(seen?.fields ?? []),
      body: kept.length === 1 ? (kept[0] as Buffer) : Buffer.concat(kept),
      truncated,
    }),
  };
}

function headersOf(fields: readonly string[]): InvocationResult['headers'] {
  const headers: Record<string, string | string[]> = {};
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i]?.toLowerCase() ?? '';
    const value = fields[i + 1] ?? '';
    const before = headers[name];
    if (before === undefined) headers[name] = value;
    else headers[name] = [...(Array.isArray(before) ? before : [before]), value];
  }
  return headers;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TARGET = /^\/[\x21-\x7e]*$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Written here and by nobody else. */
const FRAMING = new Set(['content-length', 'transfer-encoding', 'connection', 'upgrade']);

function requestOf(invocation: Invocation): UpstreamRequest {
  const { method, path, headers, body } = invocation;
  if (!TOKEN.test(method)) throw unsendable('its method is not a token');
  if (!TARGET.test(path))
    throw unsendable('its path does not begin with "/", or has characters that must be escaped');
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${headers.host ?? `${invocation.function}.${invocation.namespace}`}\r\n`;
  for (const [name, value] of Object.entries(headers)) {
    if (name === 'host') continue;
    if (!TOKEN.test(name) || FRAMING.has(name)) throw unsendable(`the header name ${JSON.stringify(name)}`);
    if (!VALUE.test(value)) throw unsendable(`the value of the header ${name}`);
    head += `${name}: ${value}\r\n`;
  }
  if (body.length > 0 || !BODILESS.has(method)) head += `content-length: ${body.length}\r\n`;
  return {
    method,
    head: `${head}\r\n`,
    body: body.length === 0 ? undefined : Buffer.from(body.buffer, body.byteOffset, body.byteLength),
    streamed: false,
    upgrade: false,
  };
}

/** Methods whose requests have no body unless they say so (RFC 9110 §8.6). */
const BODILESS = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

const nameOf = ({ namespace, function: name }: Invocation): string => `the function ${namespace}/${name}`;

const unsendable = (what: string): SlessError =>
  new SlessError('InvalidRequest', `the call cannot be sent: ${what}`);

const timedOut = (invocation: Invocation): SlessError =>
  new SlessError(
    'FunctionTimeout',
    `${nameOf(invocation)} did not answer within ${invocation.timeoutMs / 1000} s`,
  );
