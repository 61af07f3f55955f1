import type { KubeObject } from '../../src/resources/kube/object.ts';

/** The smallest objects from which a route is made. */
export const tenant = (
  name: string,
  labels: Record<string, string> = { 'sless.dev/tenant': 'true' },
): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});

export const fn = (namespace: string, name: string, spec: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: 'sless.dev/v1alpha1',
  kind: 'Function',
  metadata: { namespace, name, uid: `uid-${namespace}-${name}` },
  spec: { runtime: 'nodejs20', timeoutSeconds: 60, concurrency: 100, replicas: 1, ...spec },
});

export const trigger = (namespace: string, name: string, spec: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: 'sless.dev/v1alpha1',
  kind: 'Trigger',
  metadata: { namespace, name },
  spec: { type: 'http', functionRef: name, enabled: true, ...spec },
});

export interface PodAddress {
  readonly port: number;
  readonly address?: string;
  readonly pod?: string;
  readonly conditions?: { ready?: boolean; serving?: boolean; terminating?: boolean };
}

export const slice = (namespace: string, service: string, pods: readonly PodAddress[]): KubeObject => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: {
    namespace,
    // Ports belong to a whole slice, so pods on one address need one each.
    name: `${service}-${pods.map((pod) => pod.pod ?? pod.port).join('-')}`,
    labels: {
      'kubernetes.io/service-name': service,
      'sless.dev/component': 'server',
      'sless.dev/function': service,
    },
  },
  addressType: 'IPv4',
  endpoints: pods.map((pod) => ({
    addresses: [pod.address ?? '127.0.0.1'],
    conditions: pod.conditions ?? { ready: true, serving: true, terminating: false },
    targetRef: { kind: 'Pod', name: `pod-${pod.pod ?? pod.port}`, uid: `pod-${pod.pod ?? pod.port}` },
  })),
  ports: [{ name: 'http', port: pods[0]?.port ?? 0, protocol: 'TCP' }],
});
