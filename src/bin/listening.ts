import { createServer, type Server, type ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDrain, type Drain } from '../listener/drain.ts';

/** A server that listens, and how it ends. */
export interface Listening {
  readonly server: Server;
  readonly port: number;
  readonly drain: Drain;
}

/** Fails when the port is taken. */
export async function listen(
  options: ServerOptions,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Listening> {
  const server = createServer(options);
  const drain = createDrain(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  // A server that listens on TCP has an address.
  return { server, port: (server.address() as AddressInfo).port, drain };
}
