import type { IncomingMessage } from 'node:http';
import { functionOfHost, hostName } from './front/host.ts';
import type { ProxyOptions } from './options.ts';

/**
 * Whether a request is for the proxy. Without a host of its own that is everything at `/fn` and below, on the raw
 * target; with `FN_HOST` everything on that host and nothing elsewhere; hosts below `FN_DOMAIN` always. A target
 * that is not a path (`http://…`) is the proxy's to refuse.
 */
export function belongsToProxy(
  request: Pick<IncomingMessage, 'url' | 'headers'>,
  options: Pick<ProxyOptions, 'host' | 'domain'>,
): boolean {
  const url = request.url ?? '';
  if (!url.startsWith('/') && url !== '*') return true;
  if (options.host !== undefined || options.domain !== undefined) {
    const host = hostName(request.headers.host ?? '');
    if (options.domain !== undefined && functionOfHost(host, options.domain) !== undefined) return true;
    if (options.host !== undefined) return host === options.host;
  }
  return url.startsWith('/fn') && (url.length === 3 || url[3] === '/' || url[3] === '?');
}
