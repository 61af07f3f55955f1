import type { IncomingMessage, ServerResponse } from 'node:http';
import { ERRORS, type ErrorCode } from '../../errors.ts';

/** An answer that the proxy gives in the function's place. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  /** Seconds. */
  readonly retryAfter?: number;
  /** Whether the connection ends with it, whatever is still to come. */
  readonly close?: boolean;
}

/** Whom a refusal goes to. */
export interface Refused {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
}

/** How much of an unwanted body is read away, so that the caller sees the answer rather than a broken connection. */
const LINGER_BYTES = 1024 * 1024;
const LINGER_MS = 1000;
const SMALL_BODY = 64 * 1024;

/** Everything that is not served looks like this, byte for byte, whatever the reason. */
export const NOT_SERVED: Refusal = Object.freeze({ code: 'NotFound', message: 'no function is served here' });

export const NOT_IN_TIME: Refusal = {
  code: 'RequestTimeout',
  message: 'the request body did not arrive in time',
  close: true,
};

/** The refusal of a body beyond `limit` bytes. */
export function tooLarge(limit: number): Refusal {
  return { code: 'PayloadTooLarge', message: `the request body is larger than ${limit} bytes` };
}

/** Answers as JSON. A body that is still coming is not waited for. */
export function refuse(to: Refused, refusal: Refusal): void {
  const { request, response, requestId } = to;
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const body = JSON.stringify({ error: refusal.message, code: refusal.code });
  const fields = [
    ...['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(body))],
    ...['Cache-Control', 'no-store', 'X-Request-Id', requestId],
  ];
  if (refusal.retryAfter !== undefined) fields.push('Retry-After', String(refusal.retryAfter));
  const owes = !request.complete && owesBody(request);
  if (owes || refusal.close === true) fields.push('Connection', 'close');
  response.writeHead(ERRORS[refusal.code].http, fields);
  if (!owes) {
    response.end(body);
    return;
  }
  response.write(body);
  linger(request, () => response.end());
}

/** Whether more of a body may come than is worth reading for the sake of the connection. */
function owesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > SMALL_BODY;
}

/**
 * Closing a socket with unread bytes resets it, and the caller may lose the answer that it has not read yet. So a
 * bounded part of the rest is read away first.
 */
export function linger(request: IncomingMessage, done: () => void): void {
  let bytes = 0;
  let over = false;
  const end = (): void => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    request.off('data', count);
    done();
  };
  const count = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > LINGER_BYTES) end();
  };
  const timer = setTimeout(end, LINGER_MS);
  request.on('data', count);
  request.once('end', end);
  request.once('close', end);
  request.resume();
}
