import { readBytes } from '../../api/request/raw-body.ts';
import { BASE } from '../base-path.ts';
import type { ConsoleApp, ConsoleContext, ConsoleDeps } from '../deps.ts';
import { CSRF_HEADER } from '../session/csrf.ts';

/** Below this the console's scripts find `/v1`, with the session in the place of a token. */
export const BRIDGE = `${BASE}/-/v1`;

/** What a browser says of itself is nobody's business behind here; the cookie is the token. */
const DROPPED = ['cookie', 'origin', 'referer', 'host', CSRF_HEADER];

/** Whatever REST can do, for pages: scripts of the console never hold the token. */
export function registerBridge(app: ConsoleApp, deps: Pick<ConsoleDeps, 'api'>): void {
  app.all(`${BRIDGE}/*`, (c) => passOn(deps, c, c.req.path.slice(BRIDGE.length)));
}

/** Asks the api at `/v1{path}` what was asked here. */
export async function passOn(
  { api }: Pick<ConsoleDeps, 'api'>,
  c: ConsoleContext,
  path: string,
): Promise<Response> {
  const headers = new Headers(c.req.raw.headers);
  for (const name of DROPPED) headers.delete(name);
  headers.set('authorization', `Bearer ${c.get('session').token}`);
  const url = new URL(c.req.url);
  url.pathname = `/v1${path}`;
  const { method } = c.req;
  const plain = { method, headers, signal: c.req.raw.signal };
  const { incoming } = c.env;
  // Uploads stream: the api takes them from the raw request.
  const isRead = method === 'GET' || method === 'HEAD' || incoming === undefined;
  if (isRead || isForm(headers)) return api.fetch(new Request(url, plain), c.env);
  const body = await readBytes(incoming, MAX_BODY_BYTES);
  return api.fetch(new Request(url, { ...plain, ...(body.length > 0 ? { body } : {}) }), {});
}

/** The largest good body of REST that is not an upload. */
const MAX_BODY_BYTES = 1_048_576;

const isForm = (headers: Headers): boolean => /^multipart\//i.test(headers.get('content-type') ?? '');
