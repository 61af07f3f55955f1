import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/** The end of a server that callers keep connections to, in two steps: so that nobody is cut who was not told. */
export interface Drain {
  /**
   * From now on each answer is the last of its connection and says so. New connections are still taken: whoever sends
   * callers here learns only by and by that they should go elsewhere.
   */
  begin(): void;
  /** Takes no new connections and resolves when the last request is answered, after so many milliseconds at the latest. */
  close(milliseconds: number): Promise<void>;
}

/** The answer under way on a connection is kept there by node:http; it has no public name. */
type Connection = Socket & { _httpMessage?: ServerResponse | null };

/**
 * Clients make connections in advance, and node does not count those as idle. One that has just been made is mostly for a
 * request that is on its way.
 */
const UNUSED_MS = 1000;

/** To be made before the server has connections: those that are there already are not known to it. */
export function createDrain(server: Server): Drain {
  // Lists of connections, not of requests: of those there are too many for a list.
  const connections = collect(server, server instanceof TlsServer ? 'secureConnection' : 'connection');
  const sockets = collect(server, 'connection');
  let begun = false;
  let closing = false;

  /** An answer whose head was sent before has said nothing of an end: its connection may bring another request. */
  const follow = (connection: Connection): void => {
    const answer = connection._httpMessage;
    if (answer === undefined || answer === null) {
      if (closing) connection.destroySoon();
      return;
    }
    if (!answer.headersSent) endWith(answer);
    answer.once('close', () => follow(connection));
  };
  const begin = (): void => {
    if (begun) return;
    begun = true;
    const last = (_request: IncomingMessage, response: ServerResponse): void => endWith(response);
    server.prependListener('request', last);
    server.prependListener('checkContinue', last);
    for (const connection of connections) follow(connection);
  };
  const close = async (milliseconds: number): Promise<void> => {
    begin();
    closing = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    const unused = setTimeout(() => {
      for (const connection of connections) if (connection.bytesRead === 0) connection.destroySoon();
    }, UNUSED_MS);
    const late = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, milliseconds);
    await closed;
    clearTimeout(unused);
    clearTimeout(late);
  };
  return { begin, close };
}

function collect(server: Server, event: 'connection' | 'secureConnection'): ReadonlySet<Connection> {
  const found = new Set<Connection>();
  server.on(event, (socket: Socket) => {
    found.add(socket);
    socket.once('close', () => found.delete(socket));
  });
  return found;
}

/** As a field: `shouldKeepAlive` may have been set aside by whoever answers, to be put back. */
function endWith(answer: ServerResponse): void {
  answer.setHeader('Connection', 'close');
}
