import { randomBytes } from 'node:crypto';
import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Refusal, refuse } from '../proxy/refusal.ts';
import { responseOn } from '../proxy/upgrade.ts';
import { expecting } from './expectation.ts';
import { faultOf } from './fault.ts';
import { refuseConnect, refuseUnreadable } from './unreadable.ts';

/** How a server of the gateway is to be made: `createServer(SERVER_OPTIONS)`. */
export const SERVER_OPTIONS: ServerOptions = {
  // Ingress controllers keep idle connections for about a minute; whoever keeps them longer decides when they end.
  keepAliveTimeout: 75_000,
  headersTimeout: 20_000,
  // A whole body, 128 MiB at 2 Mbit/s; between its pieces the proxy has a shorter limit.
  requestTimeout: 600_000,
  connectionsCheckingInterval: 5000,
  // `Upgrade: h2c`, which curl --http2 sends, is an offer that may be ignored, and such a request may have a body.
  shouldUpgradeCallback: ({ headers }) => !/^\s*h2c\b/i.test(headers.upgrade ?? ''),
  // Node's own answer to a request without one has no body; `faultOf` looks.
  requireHostHeader: false,
};

/** Who takes the requests of a server. */
export interface Takers {
  readonly request: RequestListener;
  /** For `Expect: 100-continue`; without it the caller is told to go on when `request` first reads the body. */
  readonly checkContinue?: RequestListener;
  /** Without it, or when it says false, a request for another protocol is refused. */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean;
}

/**
 * Leads a server's requests to who takes them. Whatever node:http would refuse in words of its own, or let through
 * though it is no sound request, is refused here in the form of all other errors.
 */
export function receive(server: Server, takers: Takers): Server {
  const { request: take, checkContinue = expecting(take), upgrade } = takers;
  const guarded =
    (listener: RequestListener): RequestListener =>
    (request, response) => {
      const fault = faultOf(request);
      if (fault === undefined) listener(request, response);
      else refuseHere(request, response, fault);
    };
  return server
    .on('request', guarded(take))
    .on('checkContinue', guarded(checkContinue))
    .on('checkExpectation', (request, response) =>
      refuseHere(request, response, faultOf(request) ?? EXPECTATION),
    )
    .on('upgrade', (request, socket, head) => {
      const fault = faultOf(request);
      if (fault === undefined && upgrade?.(request, socket, head) === true) return;
      // node:http types the socket as Duplex for the sake of exotic servers; ours are net.Sockets.
      refuseHere(request, responseOn(request, socket as Socket), fault ?? NO_OTHER_PROTOCOL);
    })
    .on('connect', refuseConnect)
    .on('clientError', refuseUnreadable);
}

const EXPECTATION: Refusal = {
  code: 'ExpectationFailed',
  message: 'Expect must be "100-continue"',
  close: true,
};
const NO_OTHER_PROTOCOL: Refusal = {
  code: 'InvalidRequest',
  message: 'no other protocol is spoken here: leave out Upgrade',
  close: true,
};

function refuseHere(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
  refuse({ request, response, requestId: randomBytes(16).toString('hex') }, refusal);
}
