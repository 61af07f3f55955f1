import { createServer, type Server, type ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that listens. Fails when the port is taken. */
export async function listen(
  options: ServerOptions,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer(options);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  // A server that listens on TCP has an address.
  return { server, port: (server.address() as AddressInfo).port };
}

/** Takes no new connections and resolves when the last request is answered, after so many milliseconds at the latest. */
export async function drain(server: Server, milliseconds: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const late = setTimeout(() => server.closeAllConnections(), milliseconds);
  await closed;
  clearTimeout(late);
}
