import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JSONWebKeySet } from 'jose';
import { createApi } from '../gateway/api/app.ts';
import type { ApiApp } from '../gateway/api/deps.ts';
import type { Authenticator } from '../gateway/auth/authenticator.ts';
import { createJwksAuthenticator } from '../gateway/auth/jwks.ts';
import { fixedKeySet } from '../gateway/auth/key-set.ts';
import { belongsToConsole, createConsole } from '../gateway/console/app.ts';
import type { ConsoleApp } from '../gateway/console/deps.ts';
import { callByProxy } from '../gateway/console/rest/call-by-proxy.ts';
import { SERVER_OPTIONS } from '../gateway/entrance/server.ts';
import { webListener } from '../gateway/entrance/web-listener.ts';
import { belongsToProxy } from '../gateway/proxy/belongs.ts';
import { createProxy, type FunctionProxy } from '../gateway/proxy/proxy.ts';
import { listenWith } from '../gateway/proxy/server.ts';
import { createDrain, type Drain } from '../listener/drain.ts';
import { createContextPreparer } from '../source/preparer.ts';
import type { AnsweredRequest } from '../telemetry/metrics.ts';
import { ADMIN_PATH } from './admin/path.ts';
import { createAdmin } from './admin/routes.ts';
import type { Events } from './events.ts';
import { LOCAL_BUCKET } from './hooks.ts';
import { ADMIN_AUDIENCE, ISSUER, TENANT_AUDIENCE } from './identity/tokens.ts';
import { ownVisitor } from './identity/visitor.ts';
import type { Machine } from './machine.ts';
import { createFileLogs } from './process/file-logs.ts';

/** Everything that listens on the main port. */
export interface Front {
  readonly proxy: FunctionProxy;
}

interface FrontDeps {
  readonly machine: Machine;
  readonly server: Server;
  readonly drain: Drain;
  readonly keys: JSONWebKeySet;
  /** Where it listens. */
  readonly endpoint: string;
  /** Whose console opens without asking. */
  readonly token: string;
  readonly events: Pick<Events, 'publishEvent'>;
  readonly ready: () => boolean;
  readonly observe: (request: AnsweredRequest) => void;
}

/** Settings of users that concern the front. */
export interface FrontOptions {
  readonly version: string;
  readonly fnMaxBody: number;
  readonly trustedProxies: readonly string[];
  /** Where users reach it, when that is not the address on which it listens. */
  readonly externalUrl: string | undefined;
  readonly uploadsPerTenant: number;
  readonly uploadsTotal: number;
  /** How long calls under way may take when all ends. */
  readonly drainMs: number;
}

const CONSOLE_PATH = '/funcs';
const KEYS_PATH = '/.well-known/jwks.json';

/**
 * A server that listens already, so that its port is known, and puts everyone off until the front is there. `opened`
 * closes it.
 */
export async function listen(
  { host, port }: { readonly host: string; readonly port: number },
  opened: AsyncDisposableStack,
): Promise<{ server: Server; port: number; drain: Drain }> {
  const server = createServer(SERVER_OPTIONS);
  const drain = createDrain(server);
  server.on('request', putOff);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  opened.defer(() => shut(server));
  // A server that listens on TCP has an address.
  return { server, port: (server.address() as AddressInfo).port, drain };
}

const putOff: RequestListener = (_request, response) => {
  const body = JSON.stringify({ error: 'sless is starting', code: 'Unavailable' });
  const headers = { 'content-type': 'application/json', 'content-length': body.length, 'retry-after': '1' };
  response.writeHead(503, headers).end(body);
};

/** Takes no new connections and cuts those that are left. Of a server that is shut already nothing is left to do. */
async function shut(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}

/**
 * Puts api, proxy, the key set and the routes of the local commands on the server. `opened` lets calls under way end and
 * takes no new ones.
 */
export function openFront(
  { machine, server, drain, keys, endpoint, token, events, ready, observe }: FrontDeps,
  options: FrontOptions,
  opened: AsyncDisposableStack,
): Front {
  const proxyOptions = {
    maxBody: options.fnMaxBody,
    trustedProxies: options.trustedProxies,
    drainMs: options.drainMs,
  };
  const proxy = createProxy({ ...machine, monotonic: performance, random: Math.random }, proxyOptions);
  const preparer = createContextPreparer();
  const ending = new AbortController();
  const known = { keys: fixedKeySet(keys), clock: machine.clock };
  const authenticatorFor = (audience: string) => createJwksAuthenticator(known, { issuer: ISSUER, audience });
  const authenticator = authenticatorFor(TENANT_AUDIENCE);
  const api = createApi(
    {
      ...machine,
      preparer,
      observe,
      ready,
      authenticator,
      logs: createFileLogs({ cluster: machine.cluster, folder: machine.logsFolder }),
      ending: ending.signal,
      invocations: machine.calls.log,
      newId: randomUUID,
      random: Math.random,
      ...(events.publishEvent && { publishEvent: events.publishEvent }),
    },
    { ...options, bucket: LOCAL_BUCKET, temporaryFolder: machine.temporaryFolder },
  );
  const admin = createAdmin({
    cluster: machine.cluster,
    authenticate: authenticatorFor(ADMIN_AUDIENCE).authenticate,
  });
  admin.get(KEYS_PATH, (c) => c.json(keys));
  const console = openConsole({ machine, api, authenticator, endpoint, token }, options);
  const [ofApi, ofAdmin, ofConsole] = [webListener(api), webListener(admin), webListener(console)];
  server.off('request', putOff);
  listenWith(server, {
    proxy,
    belongs: (request) => belongsToProxy(request, {}),
    otherwise: chosen({ ofApi, ofAdmin, ofConsole }),
  });
  opened.defer(async () => {
    ending.abort();
    await Promise.all([drain.close(options.drainMs), proxy.close()]);
    await preparer.close();
  });
  return { proxy };
}

/** Leads what is not for the proxy to who takes it. */
function chosen(listeners: {
  readonly ofApi: RequestListener;
  readonly ofAdmin: RequestListener;
  readonly ofConsole: RequestListener;
}): RequestListener {
  const { ofApi, ofAdmin, ofConsole } = listeners;
  return (request, response) => {
    if (isFrontDoor(request)) return leadToConsole(response);
    const listener = isAdmin(request.url) ? ofAdmin : belongsToConsole(request.url) ? ofConsole : ofApi;
    return listener(request, response);
  };
}

interface ConsoleParts extends Pick<FrontDeps, 'machine' | 'endpoint' | 'token'> {
  readonly api: ApiApp;
  readonly authenticator: Authenticator;
}

/** The console, which brings its own token: whoever may start sless here need not show it. */
function openConsole(
  { machine, api, authenticator, endpoint, token }: ConsoleParts,
  { version, externalUrl = endpoint }: FrontOptions,
): ConsoleApp {
  const isOwn = ownVisitor([endpoint, externalUrl]);
  return createConsole(
    {
      ...machine,
      api,
      authenticator,
      callFunction: callByProxy(() => endpoint),
      ownToken: async (incoming) => ((await isOwn(incoming)) ? token : undefined),
    },
    {
      version,
      secure: externalUrl.startsWith('https:'),
      // Browsers keep the cookies of all ports of a host together.
      cookieSuffix: `-${new URL(endpoint).port}`,
      tokenHint: 'The content of the file token in .sless (or in SLESS_DIR).',
    },
  );
}

/** Whoever opens the bare address with a browser wants to see something. */
const isFrontDoor = ({ method, url, headers }: IncomingMessage): boolean =>
  method === 'GET' && url === '/' && /\btext\/html\b/i.test(headers.accept ?? '');

function leadToConsole(response: ServerResponse): void {
  response.writeHead(303, { location: CONSOLE_PATH, 'cache-control': 'no-store' }).end();
}

const isAdmin = (url = ''): boolean => url === KEYS_PATH || url.startsWith(ADMIN_PATH);
