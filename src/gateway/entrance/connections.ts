import type { Server } from 'node:http';
import type { Peers } from '../caller/peers.ts';

export interface ConnectionLimits {
  /** Connections of all callers together. */
  readonly total: number;
  /** Proxies that are trusted bring many callers over their connections: no share is theirs. */
  readonly peerOf: Peers['peerOf'];
}

/** Of all connections, what one address may hold: one caller that opens them and says nothing keeps nobody out. */
const ADDRESS_SHARE = 1 / 2;
/** How often idle connections are looked for. */
const SWEEP_MS = 1000;

/**
 * Bounds the connections of a server. Beyond the bound new ones are closed unread, and those that wait for a further
 * request end, as nginx does it: who is served next is whoever has something to ask.
 */
export function boundConnections(server: Server, { total, peerOf }: ConnectionLimits): void {
  const share = Math.max(1, Math.floor(total * ADDRESS_SHARE));
  const held = new Map<string, number>();
  let sweptAt = Number.NEGATIVE_INFINITY;
  server.maxConnections = total;
  server.on('drop', () => {
    const now = performance.now();
    if (now - sweptAt < SWEEP_MS) return;
    sweptAt = now;
    server.closeIdleConnections();
  });
  server.prependListener('connection', (socket) => {
    const { address, trusted } = peerOf(socket);
    if (trusted) return;
    const count = (held.get(address) ?? 0) + 1;
    if (count > share) {
      socket.destroy();
      return;
    }
    held.set(address, count);
    socket.once('close', () => {
      const left = (held.get(address) ?? 1) - 1;
      if (left === 0) held.delete(address);
      else held.set(address, left);
    });
  });
}
