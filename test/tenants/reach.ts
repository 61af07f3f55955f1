import { BlockList, isIP } from 'node:net';
import type { KubeObject } from '../../src/resources/kube/object.ts';

type Labels = Readonly<Record<string, string>>;

/** One end of a connection: a pod, or an address that no pod has. */
export type End = { readonly namespace: string; readonly labels?: Labels } | { readonly address: string };

export interface Connection {
  readonly from: End;
  readonly to: End;
  readonly port: number;
  readonly protocol?: 'TCP' | 'UDP';
}

interface Selector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly { key: string; operator: string; values?: readonly string[] }[];
}
interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}
interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly { readonly port: number; readonly protocol: string }[];
}
interface Policy extends KubeObject {
  readonly spec: {
    readonly podSelector: Selector;
    readonly policyTypes: readonly string[];
    readonly ingress?: readonly Rule[];
    readonly egress?: readonly Rule[];
  };
}

/** Whether these NetworkPolicies let a connection through, as their documentation says: no network here carries them out. */
export function isAllowed(objects: readonly KubeObject[], connection: Connection): boolean {
  const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy') as unknown as readonly Policy[];
  return (
    passes(policies, connection, { type: 'Egress', own: connection.from, other: connection.to }) &&
    passes(policies, connection, { type: 'Ingress', own: connection.to, other: connection.from })
  );
}

interface Side {
  readonly type: 'Egress' | 'Ingress';
  readonly own: End;
  readonly other: End;
}

function passes(policies: readonly Policy[], connection: Connection, { type, own, other }: Side): boolean {
  const chosen = policies.filter(
    ({ metadata, spec }) =>
      'namespace' in own &&
      own.namespace === metadata.namespace &&
      spec.policyTypes.includes(type) &&
      selects(spec.podSelector, own.labels),
  );
  if (chosen.length === 0) return true;
  return chosen.some(({ metadata: { namespace }, spec }) =>
    ((type === 'Egress' ? spec.egress : spec.ingress) ?? []).some((rule) => {
      const peers = type === 'Egress' ? rule.to : rule.from;
      const onPort = rule.ports?.some(
        ({ port, protocol }) => port === connection.port && protocol === (connection.protocol ?? 'TCP'),
      );
      return (onPort ?? true) && (peers?.some((peer) => isPeer(peer, other, namespace ?? '')) ?? true);
    }),
  );
}

function isPeer({ ipBlock, podSelector, namespaceSelector }: Peer, end: End, home: string): boolean {
  if ('address' in end) return ipBlock !== undefined && isInBlock(ipBlock, end.address);
  if (ipBlock !== undefined) return false;
  const inNamespace =
    namespaceSelector === undefined
      ? end.namespace === home
      : selects(namespaceSelector, { 'kubernetes.io/metadata.name': end.namespace });
  return inNamespace && selects(podSelector ?? {}, end.labels);
}

function isInBlock({ cidr, except = [] }: NonNullable<Peer['ipBlock']>, address: string): boolean {
  const contains = (block: string): boolean => {
    const [net = '', bits] = block.split('/');
    // A BlockList takes IPv4 addresses for IPv6 ones; networks do not.
    if (isIP(net) !== isIP(address)) return false;
    const family = isIP(net) === 4 ? 'ipv4' : 'ipv6';
    const list = new BlockList();
    list.addSubnet(net, Number(bits), family);
    return list.check(address, family);
  };
  return contains(cidr) && !except.some(contains);
}

function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels = {}): boolean {
  const isThere = Object.entries(matchLabels).every(([key, value]) => labels[key] === value);
  return (
    isThere &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      if (operator === 'Exists') return value !== undefined;
      if (operator === 'In') return value !== undefined && values.includes(value);
      if (operator === 'NotIn') return value === undefined || !values.includes(value);
      throw new Error(`no operator ${operator}`);
    })
  );
}
