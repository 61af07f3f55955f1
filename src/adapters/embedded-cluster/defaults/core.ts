import { createHash } from 'node:crypto';
import { isJsonObject, type Json } from '../merge-patch.ts';
import { each, membersOf } from './pod.ts';

/** What the API server fills into a Service's spec. */
export function serviceDefaults({ sessionAffinityConfig, ...spec }: Json): Json {
  const affinity = sessionAffinityConfig ?? { clientIP: AFFINITY };
  return {
    internalTrafficPolicy: 'Cluster',
    ...(spec.sessionAffinity === 'ClientIP' ? { sessionAffinityConfig: affinity } : {}),
    sessionAffinity: 'None',
    type: 'ClusterIP',
    ...spec,
    ...each(spec, 'ports', (port) => ({ protocol: 'TCP', targetPort: port.port, ...port })),
  };
}

/**
 * A Service's spec with its address and the families of it. The address is made up from the uid, in the range that a cluster
 * would use: nothing listens there, and nothing here routes by it.
 */
export function withAddress(spec: Json, uid: string): Json {
  const address = clusterIP(spec, uid);
  return { ...families(spec), ...spec, clusterIP: address, clusterIPs: [address] };
}

/** What `withAddress` has filled in. */
export const addressOf = ({ clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy }: Json): Json =>
  clusterIP === undefined ? {} : { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy };

/** Three hours. */
const AFFINITY = { timeoutSeconds: 10_800 };

/** What has neither an address nor pods that it selects may have endpoints of both families. */
function families({ clusterIP, selector }: Json): Json {
  return clusterIP === 'None' && selector === undefined
    ? { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' }
    : { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' };
}

function clusterIP(spec: Json, uid: string): unknown {
  if (spec.clusterIP !== undefined && spec.clusterIP !== '') return spec.clusterIP;
  const [high = 0, middle = 0, low = 0] = createHash('sha256').update(uid).digest();
  return `10.${96 + (high % 16)}.${middle}.${low}`;
}

/** A Secret with its type, and `stringData` moved into `data`, where only base64 is kept. */
export function secretDefaults({ stringData, ...secret }: Json): Json {
  const texts = isJsonObject(stringData) ? Object.entries(stringData) : [];
  const encoded = texts.map(([key, text]) => [key, Buffer.from(String(text)).toString('base64')] as const);
  const data = { ...membersOf(secret.data), ...Object.fromEntries(encoded) };
  return { type: 'Opaque', ...secret, ...(Object.keys(data).length > 0 ? { data } : {}) };
}

/** An EndpointSlice whose ports say their protocol, with null for lists that it does not have. */
export function endpointSliceDefaults(slice: Json): Json {
  return {
    endpoints: null,
    ports: null,
    ...slice,
    ...each(slice, 'endpoints', (endpoint) => ({ conditions: {}, ...endpoint })),
    ...each(slice, 'ports', (port) => ({ name: '', protocol: 'TCP', ...port })),
  };
}

/** An EndpointSlice as it is stored, where an empty list is none. */
export function storedEndpointSlice(slice: Json): Json {
  const stored = (list: unknown) => (Array.isArray(list) && list.length > 0 ? list : null);
  return { ...slice, endpoints: stored(slice.endpoints), ports: stored(slice.ports) };
}

/** A Namespace with the label that carries its name. */
export function namespaceDefaults(namespace: Json): Json {
  const metadata = membersOf(namespace.metadata);
  const labels = { ...membersOf(metadata.labels), 'kubernetes.io/metadata.name': metadata.name };
  return { ...namespace, metadata: { ...metadata, labels } };
}
