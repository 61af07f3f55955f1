import { KINDS } from '../../resources/kube/kinds.ts';
import type { KubeObject } from '../../resources/kube/object.ts';

/** Where one pod listens, and whether new calls should go there. */
export interface Endpoint {
  readonly pod: KubeObject;
  /** The Service that it belongs to. */
  readonly service: string;
  readonly port: number;
  readonly ready: boolean;
  readonly terminating: boolean;
}

/** The EndpointSlice of one pod of local mode: each pod has a slice of its own, since each has its own port. */
export function endpointSlice({ pod, service, port, ready, terminating }: Endpoint): KubeObject {
  const { name, namespace = '', uid = '' } = pod.metadata;
  const { 'pod-template-hash': _, ...labels } = pod.metadata.labels ?? {};
  return {
    apiVersion: KINDS.EndpointSlice.apiVersion,
    kind: KINDS.EndpointSlice.kind,
    metadata: {
      name,
      namespace,
      // Kubernetes copies the Service's own labels here; ours has those of its pods.
      labels: { ...labels, 'kubernetes.io/service-name': service },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true }],
    },
    addressType: 'IPv4',
    ports: [{ name: 'http', port, protocol: 'TCP' }],
    endpoints: [
      {
        addresses: ['127.0.0.1'],
        conditions: { ready: ready && !terminating, serving: ready, terminating },
        targetRef: { kind: 'Pod', name, namespace, uid },
      },
    ],
  };
}
