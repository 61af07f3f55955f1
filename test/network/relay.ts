import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A place to listen on or to connect to. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** A TCP relay that a test can break in the ways networks break. */
export interface Relay extends Place {
  /** Resets every connection; new ones go on being relayed. */
  cut(): void;
  /** Resets every connection and refuses new ones until `restore`. */
  down(): Promise<void>;
  /** Half-open: nothing passes over any connection of now, and nobody is told. New ones are relayed. */
  mute(): void;
  /** Listens again, on the same port. */
  restore(): Promise<void>;
  /** Connections that were accepted so far. */
  accepted(): number;
  /** Connections that are open now. */
  open(): number;
  close(): Promise<void>;
}

interface Pair {
  readonly caller: Socket;
  readonly target: Socket;
}

/** Starts relaying from a free port of `host` to `target`. */
export async function startRelay(target: Place, host = '127.0.0.1'): Promise<Relay> {
  const pairs = new Set<Pair>();
  let accepted = 0;
  const join = (caller: Socket): void => {
    accepted += 1;
    const pair = { caller, target: connect(target.port, target.host) };
    pairs.add(pair);
    for (const [from, to] of [
      [pair.caller, pair.target],
      [pair.target, pair.caller],
    ] as const) {
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        to.destroy();
        pairs.delete(pair);
      });
    }
  };
  const reset = (): void => {
    for (const { caller, target: other } of pairs) {
      caller.resetAndDestroy();
      other.destroy();
    }
  };
  let server = await listen(join, { host, port: 0 });
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    const closed = server.listening ? once(server, 'close') : undefined;
    server.close();
    reset();
    await closed;
  };
  return {
    host,
    port,
    cut: reset,
    down: stop,
    mute: () => {
      for (const { caller, target: other } of pairs) {
        caller.unpipe().resume();
        other.unpipe().resume();
      }
    },
    restore: async () => {
      if (!server.listening) server = await listen(join, { host, port });
    },
    accepted: () => accepted,
    open: () => pairs.size,
    close: stop,
  };
}

async function listen(join: (socket: Socket) => void, { host, port }: Place): Promise<Server> {
  const server = createServer(join).listen(port, host);
  await once(server, 'listening');
  return server;
}
