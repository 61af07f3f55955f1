import { randomBytes } from 'node:crypto';
import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { expecting } from '../expectation.ts';
import type { FunctionProxy } from './proxy.ts';

/** How a server in front of the proxy is to be made: `createServer(SERVER_OPTIONS)`. */
export const SERVER_OPTIONS: ServerOptions = {
  // Ingress controllers keep idle connections for about a minute; whoever keeps them longer decides when they end.
  keepAliveTimeout: 75_000,
  headersTimeout: 20_000,
  // A whole body, 128 MiB at 2 Mbit/s; between its pieces the proxy has a shorter limit.
  requestTimeout: 600_000,
  connectionsCheckingInterval: 5000,
  // `Upgrade: h2c`, which curl --http2 sends, is an offer that may be ignored, and such a request may have a body.
  shouldUpgradeCallback: ({ headers }) => !/^\s*h2c\b/i.test(headers.upgrade ?? ''),
};

export interface ServerParts {
  readonly proxy: FunctionProxy;
  /** Whether a request is the proxy's. */
  readonly belongs: (request: IncomingMessage) => boolean;
  /** Everything else. */
  readonly otherwise: RequestListener;
  /** Upgrades elsewhere; without it they are refused. */
  readonly otherUpgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

/** Leads a server's requests to the proxy or past it. */
export function listenWith(server: Server, { proxy, belongs, otherwise, otherUpgrade }: ServerParts): void {
  const otherExpecting = expecting(otherwise);
  server.on('request', (request, response) => {
    if (belongs(request)) proxy.handle(request, response);
    else otherwise(request, response);
  });
  server.on('checkContinue', (request, response) => {
    if (belongs(request)) proxy.handleExpecting(request, response);
    else otherExpecting(request, response);
  });
  server.on('upgrade', (request, socket, head) => {
    if (belongs(request)) proxy.upgrade(request, socket, head);
    else if (otherUpgrade !== undefined) otherUpgrade(request, socket, head);
    else socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  });
  server.on('clientError', refuseUnreadable);
}

const UNREADABLE: Readonly<Record<string, readonly [string, string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'HeadersTooLarge'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'RequestTimeout'],
};

/** Answers what node's parser could not read, in the form of all other errors. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  // The answer that is under way on this socket, which node's own handler looks at as well; it has no public name.
  const { _httpMessage: begun } = socket as Duplex & { _httpMessage?: ServerResponse | null };
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  if (begun?.headersSent === true) {
    // A refusal that was given before the rest turned out to be nonsense is still to be read.
    (socket as Socket).destroySoon();
    return;
  }
  const [status, code] = UNREADABLE[error.code ?? ''] ?? ['400 Bad Request', 'InvalidRequest'];
  const body = JSON.stringify({ error: 'the request is not valid HTTP', code });
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json\r\n` +
      `X-Request-Id: ${randomBytes(16).toString('hex')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}
