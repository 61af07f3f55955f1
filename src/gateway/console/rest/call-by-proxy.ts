import { type ClientRequest, type IncomingMessage, request as requestByHttp } from 'node:http';
import { request as requestByHttps } from 'node:https';
import { SlessError } from '../../../errors.ts';
import type { FunctionAnswer, FunctionCall, FunctionCaller } from './function-caller.ts';

/** More than anybody reads in a browser. */
const MAX_SHOWN_BYTES = 1_048_576;
/** What makes the message itself is ours to say. */
const OURS = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'expect',
  'te',
  'trailer',
  'keep-alive',
]);

/**
 * Calls functions where the proxy listens, under the host by which the world knows them: so a call from the console has
 * the limits, the record and the answer of any other.
 *
 * @param proxyUrl such as `http://sless-proxy:8080`
 */
export function callByProxy(proxyUrl: () => string): FunctionCaller {
  return async (call, signal) => {
    const response = await send(proxyUrl(), call, signal);
    return {
      ...(await readBody(response)),
      status: response.statusCode ?? 0,
      headers: pairs(response.rawHeaders),
    };
  };
}

function send(proxyUrl: string, call: FunctionCall, signal: AbortSignal): Promise<IncomingMessage> {
  const { url, method, target, headers, body } = call;
  const { host, pathname } = new URL(url);
  const { protocol } = new URL(proxyUrl);
  const asks = protocol === 'https:' ? requestByHttps : requestByHttp;
  const own = headers.filter(([name]) => !OURS.has(name.toLowerCase()));
  return new Promise((resolve, reject) => {
    const request: ClientRequest = asks(proxyUrl, {
      method,
      path: `${pathname === '/' && target.startsWith('/') ? '' : pathname}${target}`,
      headers: [
        ...own.flat(),
        'Host',
        host,
        ...(body === '' ? [] : ['Content-Length', String(Buffer.byteLength(body))]),
      ],
      agent: false,
      signal,
    });
    request.on('response', resolve);
    request.on('error', (cause) =>
      reject(new SlessError('Unavailable', 'the functions’ proxy cannot be reached', { cause })),
    );
    request.end(body === '' ? undefined : body);
  });
}

async function readBody(response: IncomingMessage): Promise<Pick<FunctionAnswer, 'body' | 'cut'>> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_SHOWN_BYTES) break; // leaves the rest: the loop ends the response
    }
  } catch (cause) {
    throw new SlessError('UpstreamInvalid', 'the answer broke off', { cause });
  }
  return { body: Buffer.concat(chunks).subarray(0, MAX_SHOWN_BYTES), cut: size > MAX_SHOWN_BYTES };
}

function pairs(raw: readonly string[]): (readonly [string, string])[] {
  return Array.from({ length: raw.length / 2 }, (_, i) => [raw[2 * i] ?? '', raw[2 * i + 1] ?? ''] as const);
}
