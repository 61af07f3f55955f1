import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Tells whether a visitor is the user who runs sless, and may have their token without showing one. Two others reach the
 * port too: pages of other sites that have their own name lead to 127.0.0.1 (their `Host` tells), and other users of
 * this machine (the kernel tells whose the connection is, on Linux; elsewhere nobody is asked).
 *
 * @param urls where this installation is reached
 */
export function ownVisitor(
  urls: readonly string[],
): (incoming: IncomingMessage | undefined) => Promise<boolean> {
  const { port } = new URL(urls[0] ?? '');
  const hosts = new Set([...urls.map((url) => new URL(url).host), `localhost:${port}`, `[::1]:${port}`]);
  return async (incoming) => {
    if (incoming === undefined || !hosts.has(incoming.headers.host ?? '')) return false;
    const owner = await ownerOf(incoming.socket);
    // Root may read the token's file anyway; what forwards ports into containers and virtual machines runs as root.
    return owner === undefined || owner === 0 || owner === process.getuid?.();
  };
}

/** The user id of the other end of a connection within this machine; `undefined` where nobody can say. */
async function ownerOf({ remotePort, localPort }: Socket): Promise<number | undefined> {
  if (process.platform !== 'linux' || remotePort === undefined || localPort === undefined) return undefined;
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const owner = ownerIn(await readFile(table, 'utf8').catch(() => ''), { from: remotePort, to: localPort });
    if (owner !== undefined) return owner;
  }
  return FOREIGN;
}

/** Of a connection that this machine does not know: it came from elsewhere. */
const FOREIGN = -1;

/** Fields of `/proc/net/tcp` (proc(5)): number, local and remote address as hex `address:port`, state, …, user id. */
export function ownerIn(
  table: string,
  { from, to }: { readonly from: number; readonly to: number },
): number | undefined {
  const hex = (port: number): string => `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  for (const line of table.split('\n').slice(1)) {
    const [, local = '', remote = '', , , , , uid] = line.trim().split(/\s+/);
    if (local.endsWith(hex(from)) && remote.endsWith(hex(to))) return Number(uid);
  }
  return undefined;
}
