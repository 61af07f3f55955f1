/** Somewhere that pods may go: a block of addresses, or the pods of a namespace; every port where none is named. */
export type Peer =
  | { readonly block: string; readonly port?: number }
  | { readonly namespace: string; readonly port?: number };

/** Kubernetes writes this label on every namespace itself, so nobody can pretend to be another. */
export const NAMESPACE_NAME = 'kubernetes.io/metadata.name';

const PROTOCOLS = ['TCP', 'UDP'] as const;

/**
 * Egress rules for these peers. Metacontroller's dynamic apply merges lists of ports by their number alone, so the two protocols of one port
 * are two rules, never two entries of one.
 */
export function egressTo(peers: readonly Peer[]): object[] {
  const ports = [...new Set(peers.map(({ port }) => port))];
  return ports.flatMap((port) => {
    const to = peers.filter((peer) => peer.port === port).map(destination);
    return port === undefined ? [{ to }] : PROTOCOLS.map((protocol) => ({ ports: [{ port, protocol }], to }));
  });
}

function destination(peer: Peer): object {
  if ('block' in peer) return { ipBlock: { cidr: peer.block } };
  return { namespaceSelector: { matchLabels: { [NAMESPACE_NAME]: peer.namespace } } };
}

/** Every address but these blocks. A family without exceptions is as open as the other. */
export function egressToInternet(except: readonly string[]): object {
  const isV6 = (block: string): boolean => block.includes(':');
  const blockOf = (cidr: string, exceptions: readonly string[]) => ({
    ipBlock: { cidr, ...(exceptions.length === 0 ? {} : { except: [...exceptions] }) },
  });
  return {
    to: [
      blockOf(
        '0.0.0.0/0',
        except.filter((block) => !isV6(block)),
      ),
      blockOf('::/0', except.filter(isV6)),
    ],
  };
}

/** Pods of sless itself, by what they are for. */
export function platformPods(systemNamespace: string, components: readonly string[]): object {
  return {
    namespaceSelector: { matchLabels: { [NAMESPACE_NAME]: systemNamespace } },
    podSelector: {
      matchExpressions: [{ key: 'app.kubernetes.io/component', operator: 'In', values: [...components] }],
      matchLabels: { 'app.kubernetes.io/name': 'sless' },
    },
  };
}
