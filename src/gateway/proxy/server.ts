import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { expecting } from '../entrance/expectation.ts';
import { receive } from '../entrance/server.ts';
import type { FunctionProxy } from './proxy.ts';

export interface ServerParts {
  readonly proxy: FunctionProxy;
  /** Whether a request is the proxy's. */
  readonly belongs: (request: IncomingMessage) => boolean;
  /** Everything else. */
  readonly otherwise: RequestListener;
}

/** Leads a server's requests to the proxy or past it. */
export function listenWith(server: Server, { proxy, belongs, otherwise }: ServerParts): void {
  const otherExpecting = expecting(otherwise);
  receive(server, {
    request: (request, response) => {
      if (belongs(request)) proxy.handle(request, response);
      else otherwise(request, response);
    },
    checkContinue: (request, response) => {
      if (belongs(request)) proxy.handleExpecting(request, response);
      else otherExpecting(request, response);
    },
    upgrade: (request, socket, head) => {
      const isOurs = belongs(request);
      if (isOurs) proxy.upgrade(request, socket, head);
      return isOurs;
    },
  });
}
