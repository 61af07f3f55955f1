import { isIP } from 'node:net';
import type { Peer } from './peers.ts';

/** `registry.tools.svc` and `registry.tools.svc.cluster.local` are the Service `registry` in the namespace `tools`. */
const SERVICE = /^[^.]+\.([^.]+)\.svc(\.|$)/;

/**
 * Where a registry or a store is (host, maybe port, maybe path), as far as its name says that it is no host of the internet. A Service's pods may listen on another port than it does,
 * and a policy sees theirs: so its namespace is open whole.
 */
export function insidePeer(place: string): readonly Peer[] {
  const [, host = '', digits] = /^(\[[^\]]+\]|[^/:]+)(?::(\d+))?/.exec(place) ?? [];
  const address = host.replace(/^\[|\]$/g, '');
  const family = isIP(address);
  if (family !== 0) {
    const block = `${address}/${family === 4 ? 32 : 128}`;
    return [{ block, ...(digits === undefined ? {} : { port: Number(digits) }) }];
  }
  const namespace = SERVICE.exec(host)?.[1];
  return namespace === undefined ? [] : [{ namespace }];
}
