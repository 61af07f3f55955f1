import { BlockList, isIPv6, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { SlessError } from '../../../errors.ts';

/** Who is at the other end of a connection. */
export interface Peer {
  readonly address: string;
  readonly secure: boolean;
  /** Whether what it says about earlier hops is believed. */
  readonly trusted: boolean;
}

/** Says who is at the other end; worked out once for each connection. */
export type Peers = (socket: Socket) => Peer;

/** `trusted` are addresses and CIDR blocks; throws `InvalidRequest` naming one that is neither. */
export function createPeers(trusted: readonly string[]): Peers {
  const list = new BlockList();
  for (const entry of trusted) add(list, entry);
  const known = new WeakMap<Socket, Peer>();
  return (socket) => {
    const found = known.get(socket);
    if (found !== undefined) return found;
    const address = plain(socket.remoteAddress ?? '');
    const peer = {
      address,
      secure: socket instanceof TLSSocket,
      trusted: trusted.length > 0 && address !== '' && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4'),
    };
    known.set(socket, peer);
    return peer;
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
