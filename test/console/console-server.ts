import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { belongsToConsole, createConsole } from '../../src/gateway/console/app.ts';
import type { ConsoleDeps, ConsoleOptions } from '../../src/gateway/console/deps.ts';
import { webListener } from '../../src/gateway/entrance/web-listener.ts';
import { type ApiServer, startApi, type Tenant, tenantOf } from '../api/api-server.ts';

interface Overrides {
  readonly deps?: Partial<ConsoleDeps>;
  readonly options?: Partial<ConsoleOptions>;
}

/** Api and console on one port, over the embedded cluster without its hooks. */
export function startConsole({ deps = {}, options = {} }: Overrides = {}): Promise<ApiServer> {
  return startApi({
    front: (api, real) => {
      const console = createConsole(
        { ...real, api, ...deps },
        { version: '0.0.0', secure: false, ...options },
      );
      const [ofApi, ofConsole] = [webListener(api), webListener(console)];
      return (request, response) => (belongsToConsole(request.url) ? ofConsole : ofApi)(request, response);
    },
  });
}

/** What a browser says with the page that somebody opens, and with what a script of that page fetches. */
export const OPENED = {
  accept: 'text/html',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'none',
};
export const FETCHED = {
  accept: 'application/json',
  'sec-fetch-dest': 'empty',
  'sec-fetch-mode': 'cors',
  'sec-fetch-site': 'same-origin',
};

/** An answer as it came, no redirect followed. */
export interface Raw {
  readonly status: number;
  readonly text: string;
  readonly cookies: readonly string[];
  header(name: string): string | undefined;
}

interface RawRequest {
  readonly method?: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/** Asks with these headers and no others: `fetch` adds a `Sec-Fetch-Mode` of its own. */
export async function send(url: string, { method = 'GET', headers, body }: RawRequest): Promise<Raw> {
  const sent = request(url, { method, headers, agent: false });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return {
    status: response.statusCode ?? 0,
    text: await text(response),
    cookies: response.headers['set-cookie'] ?? [],
    header: (name) => response.headers[name]?.toString(),
  };
}

/** What a browser sends back of the cookies it was given. */
export function cookieOf({ cookies }: Pick<Raw, 'cookies'>): string {
  return cookies
    .filter((each) => !each.includes('Max-Age=0'))
    .map((each) => each.split(';')[0])
    .join('; ');
}

/** A browser with a session, as far as its headers go. */
export interface Visitor extends Tenant {
  readonly cookie: string;
  /** The proof that stands in the visitor's pages. */
  readonly csrf: string;
  open(path: string, headers?: Record<string, string>): Promise<Raw>;
}

/** Signs a fresh tenant in by pasting a token. */
export async function visit(server: ApiServer, sub: string): Promise<Visitor> {
  const tenant = await tenantOf(server, sub);
  const cookie = cookieOf(await signIn(server, { token: tenant.token }));
  const open: Visitor['open'] = (path, headers = {}) =>
    send(server.url + path, { headers: { ...OPENED, cookie, ...headers } });
  const page = (await open(`/funcs/${tenant.namespace}`)).text;
  return { ...tenant, cookie, open, csrf: /name="csrf" content="([^"]+)"/.exec(page)?.[1] ?? '' };
}

/** Sends the form of the page for signing in. */
export function signIn(
  server: Pick<ApiServer, 'url'>,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Raw> {
  return sendForm(server, { path: '/funcs/-/signin', fields, headers });
}

interface Form {
  readonly path: string;
  readonly fields: Record<string, string>;
  readonly headers?: Record<string, string>;
}

/** Sends a form as a page of the console does. */
export function sendForm(
  { url }: Pick<ApiServer, 'url'>,
  { path, fields, headers = {} }: Form,
): Promise<Raw> {
  return send(url + path, {
    method: 'POST',
    headers: {
      ...OPENED,
      'content-type': 'application/x-www-form-urlencoded',
      origin: url,
      'sec-fetch-site': 'same-origin',
      ...headers,
    },
    body: new URLSearchParams(fields).toString(),
  });
}
