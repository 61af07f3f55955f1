import { BlockList, isIPv6 } from 'node:net';
import type { MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { ApiDeps, ApiEnv, ApiOptions } from '../deps.ts';

const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** Gives each request its id and a logger that says it; logs and counts what was answered. */
export function observeRequests(
  deps: Pick<ApiDeps, 'clock' | 'newId' | 'logger' | 'observe'>,
  options: Pick<ApiOptions, 'trustedProxies'>,
): MiddlewareHandler<ApiEnv> {
  const isTrusted = trustedPeers(options.trustedProxies ?? []);
  return async (c, next) => {
    const startedAt = deps.clock.now();
    const sent = c.req.header('x-request-id') ?? '';
    const believed = REQUEST_ID.test(sent) && isTrusted(c.env?.incoming?.socket.remoteAddress);
    const requestId = believed ? sent : deps.newId();
    c.set('requestId', requestId);
    c.set('logger', deps.logger.child({ requestId }));
    await next();
    c.res.headers.set('x-request-id', requestId);
    const route = matchedRoutes(c).findLast(({ method }) => method !== 'ALL')?.path ?? 'unknown';
    const milliseconds = deps.clock.now() - startedAt;
    const { method } = c.req;
    const { status } = c.res;
    deps.observe?.({ method, route, status, seconds: milliseconds / 1000 });
    c.get('logger').info({ method, path: c.req.path, status, milliseconds }, 'answered');
  };
}

/** Whether a peer's address is in one of the blocks. */
function trustedPeers(blocks: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList();
  for (const block of blocks) {
    const [address = '', bits] = block.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    list.addSubnet(address, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family);
  }
  return (address) => {
    if (address === undefined) return false;
    const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
    return list.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
  };
}
