import { createHash } from 'node:crypto';
import { isJsonObject, type Json } from '../merge-patch.ts';
import { each, membersOf } from './pod.ts';

/**
 * What the API server fills into a Service's spec. The address is made up from the uid, in the range that a cluster
 * would use: nothing listens there, and nothing here routes by it.
 */
export function serviceDefaults(spec: Json, uid: string): Json {
  const address = clusterIP(spec, uid);
  return {
    internalTrafficPolicy: 'Cluster',
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    sessionAffinity: 'None',
    type: 'ClusterIP',
    ...spec,
    clusterIP: address,
    clusterIPs: [address],
    ...each(spec, 'ports', (port) => ({ protocol: 'TCP', targetPort: port.port, ...port })),
  };
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

/** An EndpointSlice whose ports say their protocol. */
export function endpointSliceDefaults(slice: Json): Json {
  return { ...slice, ...each(slice, 'ports', (port) => ({ name: '', protocol: 'TCP', ...port })) };
}

/** A Namespace with the label that carries its name. */
export function namespaceDefaults(namespace: Json): Json {
  const metadata = membersOf(namespace.metadata);
  const labels = { ...membersOf(metadata.labels), 'kubernetes.io/metadata.name': metadata.name };
  return { ...namespace, metadata: { ...metadata, labels }, spec: { finalizers: ['kubernetes'] } };
}
