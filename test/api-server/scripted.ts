import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach } from 'vitest';

/** What the server saw of one request. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers one request; what it does not answer is left hanging. */
export type Handler = (seen: Seen, response: ServerResponse) => void;

/** An HTTP server that answers as its test says. */
export interface ScriptedServer {
  readonly origin: string;
  readonly port: number;
  readonly seen: Seen[];
  /** Connections that are open now. */
  connections(): Promise<number>;
  /** Ends every connection. */
  drop(): void;
}

const servers = new Set<Server>();

afterEach(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  servers.clear();
});

/** Started on a free port of the loopback; ended after the test. */
export async function startScripted(handler: Handler): Promise<ScriptedServer> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://api');
    const one = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: await text(request),
    };
    seen.push(one);
    handler(one, response);
  });
  server.listen(0, '127.0.0.1');
  servers.add(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    seen,
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    drop: () => server.closeAllConnections(),
  };
}

/** Answers with JSON. */
export function answer(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** A `v1.Status`, as an API server refuses. */
export function statusOf(code: number, reason: string, more: object = {}): object {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    message: `${reason} it is`,
    reason,
    code,
    ...more,
  };
}
