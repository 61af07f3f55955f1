import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the range from which Linux (32768) and macOS (49152) take ports of outgoing connections, so that none of those
 * comes between the choice of a port and its use; above what other programs usually listen on.
 */
const FIRST = 20_000;
const LAST = 32_000;

/** Gives out TCP ports of 127.0.0.1, never one that is given out already. */
export interface Ports {
  /** A port on which nothing listens. */
  take(): Promise<number>;
  giveBack(port: number): void;
}

/** `start` says where the search begins (0 to 1, as Math.random), so that two installations rarely meet. */
export function createPorts(start: number = Math.random()): Ports {
  const taken = new Set<number>();
  let next = FIRST + Math.floor(start * (LAST - FIRST));
  const advance = (): number => {
    const port = next;
    next = next + 1 < LAST ? next + 1 : FIRST;
    return port;
  };
  return {
    take: async () => {
      for (let tried = FIRST; tried < LAST; tried++) {
        const port = advance();
        if (taken.has(port)) continue;
        taken.add(port);
        if (await isFree(port)) return port;
        taken.delete(port);
      }
      throw new Error(`no free port from ${FIRST} to ${LAST}`);
    },
    giveBack: (port) => {
      taken.delete(port);
    },
  };
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ port, host: '127.0.0.1', exclusive: true });
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
