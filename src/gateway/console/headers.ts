import type { MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';

const SELF = ["'self'"];
const NONE = ["'none'"];

/** Nothing but our own files is loaded or run, nothing in the markup is, and nobody frames a page or holds its window. */
export const PAGE_HEADERS: MiddlewareHandler = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: NONE,
    scriptSrc: SELF,
    styleSrc: SELF,
    imgSrc: SELF,
    connectSrc: SELF,
    formAction: SELF,
    baseUri: NONE,
    frameAncestors: NONE,
  },
  // A function's page on this host that opens one of ours gets no hold of its window.
  crossOriginOpenerPolicy: 'same-origin',
  crossOriginResourcePolicy: 'same-origin',
  // With `no-referrer` browsers would call the origin of a form `null`, as they do a sandboxed page's.
  referrerPolicy: 'same-origin',
  xFrameOptions: 'DENY',
  // Behind an Ingress without https it would be a lie, and others share the host.
  strictTransportSecurity: false,
  originAgentCluster: '?1',
});

/** What stands in a page is its reader's alone, and changes. */
export const noStore: MiddlewareHandler = async (c, next) => {
  await next();
  if (c.res.headers.get('cache-control') === null) c.res.headers.set('cache-control', 'no-store');
};
