import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { isTraceparent, traceIdOf } from '../../../ports/trace-context.ts';
import { isRequestId } from '../../caller/ids.ts';
import { createPeers, type Peers } from '../../caller/peers.ts';
import type { ApiDeps, ApiEnv, ApiOptions } from '../deps.ts';

/** Probes come every few seconds and say nothing. */
const QUIET = new Set(['/healthz', '/readyz']);

/** Gives each request its id and a logger that says it; logs and counts what was answered. */
export function observeRequests(
  deps: Pick<ApiDeps, 'clock' | 'newId' | 'logger' | 'observe'>,
  options: Pick<ApiOptions, 'trustedProxies'>,
): MiddlewareHandler<ApiEnv> {
  const peers = createPeers(options.trustedProxies ?? []);
  return async (c, next) => {
    const startedAt = deps.clock.now();
    const requestId = believedId(c, peers) ?? deps.newId();
    c.set('requestId', requestId);
    c.set('logger', deps.logger.child({ requestId, ...traceOf(c) }));
    await next();
    c.res.headers.set('x-request-id', requestId);
    const milliseconds = deps.clock.now() - startedAt;
    const { method, path } = c.req;
    const { status } = c.res;
    const route = matchedRoutes(c).findLast((matched) => matched.method !== 'ALL')?.path ?? 'unknown';
    deps.observe?.({ method, route, status, seconds: milliseconds / 1000 });
    c.get('logger')[QUIET.has(route) ? 'debug' : 'info']({ method, path, status, milliseconds }, 'answered');
  };
}

/** The id that a trusted proxy has given the request. */
function believedId(c: Context<ApiEnv>, peers: Peers): string | undefined {
  const sent = c.req.header('x-request-id');
  const socket = c.env?.incoming?.socket;
  if (sent === undefined || socket === undefined || !isRequestId(sent)) return undefined;
  return peers.peerOf(socket).trusted ? sent : undefined;
}

/** The id of the caller's trace, so that log lines can be found by it. */
function traceOf(c: Context<ApiEnv>): { traceId?: string } {
  const traceparent = c.req.header('traceparent') ?? '';
  return isTraceparent(traceparent) ? { traceId: traceIdOf(traceparent) } : {};
}
