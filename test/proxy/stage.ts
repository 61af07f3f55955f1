import { createServer, type RequestListener, type Server } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createNetServer,
  type Server as NetServer,
  type Socket,
} from 'node:net';
import { onTestFinished } from 'vitest';
import { SERVER_OPTIONS } from '../../src/gateway/entrance/server.ts';
import { belongsToProxy } from '../../src/gateway/proxy/belongs.ts';
import type { CallLog } from '../../src/gateway/proxy/call-log.ts';
import type { ProxyOptions } from '../../src/gateway/proxy/options.ts';
import { createProxy, type FunctionProxy } from '../../src/gateway/proxy/proxy.ts';
import { listenWith } from '../../src/gateway/proxy/server.ts';
import type { Logger } from '../../src/ports/logger.ts';
import type { Tracer } from '../../src/ports/tracer.ts';
import { createFakeCluster, type FakeCluster } from './fake-cluster.ts';
import { fn, slice, tenant, trigger } from './objects.ts';

export const silent: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silent,
};

/** A proxy behind a real server, with a cluster to fill. */
export interface Stage {
  readonly cluster: FakeCluster;
  readonly proxy: FunctionProxy;
  readonly server: Server;
  readonly port: number;
  readonly url: string;
  /** Makes a function that answers at `/fn/{ns}/{name}` from those ports. */
  serve(ns: string, name: string, ports: readonly number[], spec?: Record<string, unknown>): void;
}

interface StageDeps {
  readonly logger?: Logger;
  readonly calls?: CallLog;
  readonly tracer?: Tracer;
}

export async function stage(
  options: ProxyOptions = {},
  { logger = silent, calls, tracer }: StageDeps = {},
): Promise<Stage> {
  const cluster = createFakeCluster();
  const proxy = createProxy(
    { cluster, logger, monotonic: performance, random: Math.random, calls, tracer },
    options,
  );
  const server = createServer(SERVER_OPTIONS);
  listenWith(server, {
    proxy,
    belongs: (request) => belongsToProxy(request, options),
    otherwise: (_, response) => response.writeHead(418).end('elsewhere'),
  });
  const port = await listen(server);
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await Promise.race([proxy.close(), new Promise((resolve) => setTimeout(resolve, 50).unref())]);
  });
  await until(() => proxy.ready());
  return {
    cluster,
    proxy,
    server,
    port,
    url: `http://127.0.0.1:${port}`,
    serve(ns, name, ports, spec) {
      cluster.apply(tenant(ns), fn(ns, name, spec), trigger(ns, name));
      for (const pod of ports) cluster.apply(slice(ns, name, [{ port: pod }]));
    },
  };
}

/** A function's pod: a plain node server. */
export async function pod(handler: RequestListener): Promise<{ server: Server; port: number }> {
  const server = createServer({ keepAliveTimeout: 65_000 }, handler);
  const port = await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, port };
}

/** A pod that speaks raw bytes; it is called with each connection. */
export async function rawPod(
  handler: (socket: Socket) => void,
): Promise<{ server: NetServer; port: number; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server = createNetServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    handler(socket);
  });
  const port = await listen(server);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { server, port, sockets };
}

export function listen(server: NetServer): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

/** Waits for a condition; fails loudly when it does not come. */
export async function until(condition: () => boolean, milliseconds = 10_000): Promise<void> {
  const end = Date.now() + milliseconds;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`waited in vain for ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** What came back over a raw connection. */
export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
  readonly text: string;
}

/** Writes bytes as they are and reads until the other side closes, or `enough` says so. Latin-1 both ways. */
export function raw(
  port: number,
  bytes: string | Buffer,
  enough?: (text: string) => boolean,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes as string, 'latin1'));
    const done = (): void => {
      socket.destroy();
      const end = text.indexOf('\r\n\r\n');
      const head = end < 0 ? text : text.slice(0, end);
      resolve({
        status: Number(head.split(' ')[1] ?? 0),
        head,
        body: end < 0 ? '' : text.slice(end + 4),
        text,
      });
    };
    socket.setTimeout(8000, () => reject(new Error(`no end of the answer: ${JSON.stringify(text)}`)));
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
      if (enough?.(text)) done();
    });
    socket.on('end', done);
    socket.on('error', (error) => (text === '' ? reject(error) : done()));
  });
}

/** One request by raw bytes, closing after it. */
export const rawRequest = (port: number, target: string, more = '', method = 'GET'): Promise<RawAnswer> =>
  raw(port, `${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${more}\r\n`);
