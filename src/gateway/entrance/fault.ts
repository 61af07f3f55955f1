import type { IncomingMessage } from 'node:http';
import type { Refusal } from '../proxy/refusal.ts';

/**
 * What is wrong with a request before anyone looks at what it is for. Node's parser lets all of this through; what it
 * refuses itself is `unreadable.ts`. The connection ends with such a refusal: whoever frames requests in ways of its own
 * may see the next one begin elsewhere.
 */
export function faultOf(request: IncomingMessage): Refusal | undefined {
  const { httpVersion, headers } = request;
  const isOld = httpVersion === '1.0';
  if (!isOld && httpVersion !== '1.1') return VERSION;
  if (isOld && headers['transfer-encoding'] !== undefined) return OLD_CODING;
  if (request.url?.[0] !== '/') return NO_PATH;
  const { host } = headers;
  if (host === undefined) return isOld ? undefined : NO_HOST;
  if (hasSecondHost(request.rawHeaders)) return SECOND_HOST;
  return isHost(host) ? undefined : BAD_HOST;
}

/** The refusal of what speaks no HTTP/1. */
export const VERSION: Refusal = {
  code: 'HttpVersionNotSupported',
  message: 'only HTTP/1.1 and HTTP/1.0 are spoken here',
  close: true,
};

const invalid = (message: string): Refusal => ({ code: 'InvalidRequest', message, close: true });
// RFC 9112 §6.1: whoever speaks 1.0 cannot know chunks, so something on the way has not understood the request.
const OLD_CODING = invalid('a request of HTTP/1.0 must not have Transfer-Encoding');
const NO_PATH = invalid('the request target must be a path that begins with "/"');
const NO_HOST = invalid('the request has no Host header');
const SECOND_HOST = invalid('the request has more than one Host header');
const BAD_HOST = invalid('the Host header must be a host name or address, with at most one port');

/** Node's parser keeps the first of two and says nothing. */
function hasSecondHost(rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && (name === 'Host' || name === 'host' || name.toLowerCase() === 'host'))
      count += 1;
  }
  return count > 1;
}

/**
 * A name of letters, digits, `-`, `_` and dots, or an IPv6 address in brackets, then perhaps a port. RFC 3986 would allow a
 * name more (`%41`, `a;b`, `a,b`), but no name that resolves has it, and readers of `Host` differ on what it means.
 */
const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]{2,45}\])(?::(\d{1,5}))?$/;
const MAX_PORT = 65_535;

function isHost(value: string): boolean {
  const found = HOST.exec(value);
  return found !== null && Number(found[1] ?? 0) <= MAX_PORT;
}
