import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { SlessError } from '../../errors.ts';

/** Who is at the other end of a connection. */
export interface Peer {
  readonly address: string;
  readonly secure: boolean;
  /** Whether what it says about earlier hops is believed. */
  readonly trusted: boolean;
}

/** The address of who sends a request: the peer's, or the last one that it names which is no proxy that is trusted. */
export type CallerOf = (request: IncomingMessage, peer: Peer) => string;

export interface Peers {
  /** Who is at the other end; worked out once for each connection. */
  readonly peerOf: (socket: Socket) => Peer;
  readonly callerOf: CallerOf;
}

/** `trusted` are addresses and CIDR blocks; throws `InvalidRequest` naming one that is neither. */
export function createPeers(trusted: readonly string[]): Peers {
  const list = new BlockList();
  for (const entry of trusted) add(list, entry);
  const isTrusted = (address: string): boolean =>
    trusted.length > 0 && isIP(address) !== 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  const known = new WeakMap<Socket, Peer>();
  return {
    peerOf(socket) {
      const found = known.get(socket);
      if (found !== undefined) return found;
      const address = plain(socket.remoteAddress ?? '');
      const peer = { address, secure: socket instanceof TLSSocket, trusted: isTrusted(address) };
      known.set(socket, peer);
      return peer;
    },
    callerOf({ headers }, peer) {
      if (!peer.trusted) return peer.address;
      const said = headers['x-forwarded-for'];
      const hops = typeof said === 'string' ? said.split(',').map((hop) => plain(hop.trim())) : [];
      return hops.findLast((hop) => !isTrusted(hop)) ?? hops[0] ?? peer.address;
    },
  };
}

function add(list: BlockList, entry: string): void {
  const [address = '', prefix] = entry.trim().split('/');
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  try {
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  } catch (cause) {
    const message = `trusted proxies: "${entry}" is neither an address nor a CIDR block such as 10.0.0.0/8`;
    throw new SlessError('InvalidRequest', message, { cause });
  }
}

/** An IPv4 address that came over an IPv6 socket, as IPv4. */
function plain(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
