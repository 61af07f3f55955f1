import { TENANT_KINDS } from '../kube/kinds.ts';
import { LABELS } from '../kube/labels.ts';
import type { KubeObject } from '../kube/object.ts';
import { tenantMeta } from './meta.ts';
import { egressTo, egressToInternet, platformPods } from './peers.ts';
import type { TenantSettings } from './settings.ts';

/** The port of every function's pods. */
const FUNCTION_PORT = 8080;

/**
 * Functions are reached by the proxy (and the api, which is the proxy where it runs `--with-proxy`), the dispatcher and their own namespace,
 * and reach that namespace, DNS, the internet and what an administrator allows. Only pods of sless are chosen: what else a team runs in its namespace is not ours to cut off.
 */
export function functionsPolicy(namespace: string, settings: TenantSettings): KubeObject {
  const { network, systemNamespace } = settings;
  const callers = platformPods(systemNamespace, ['api', 'dispatcher', 'proxy']);
  return policy(namespace, 'sless-functions', {
    podSelector: {
      matchExpressions: [
        { key: LABELS.component, operator: 'Exists' },
        { key: LABELS.component, operator: 'NotIn', values: ['build'] },
      ],
    },
    ingress: [
      { from: [{ podSelector: {} }] },
      { from: [callers], ports: [{ port: FUNCTION_PORT, protocol: 'TCP' }] },
    ],
    egress: [
      { to: [{ podSelector: {} }] },
      ...egressTo([...network.dns, ...network.functions]),
      egressToInternet(network.notInternet),
    ],
  });
}

/** Builds run strangers' install scripts: nobody calls them, and beside DNS and the internet they fetch code and push images. */
export function buildsPolicy(namespace: string, settings: TenantSettings): KubeObject {
  const { network, systemNamespace, internalPort } = settings;
  return policy(namespace, 'sless-builds', {
    podSelector: { matchLabels: { [LABELS.component]: 'build' } },
    egress: [
      {
        ports: [{ port: internalPort, protocol: 'TCP' }],
        to: [platformPods(systemNamespace, ['api'])],
      },
      ...egressTo([...network.dns, ...network.builds]),
      egressToInternet(network.notInternet),
    ],
  });
}

function policy(namespace: string, name: string, spec: object): KubeObject {
  const { apiVersion, kind } = TENANT_KINDS.NetworkPolicy;
  return {
    apiVersion,
    kind,
    metadata: tenantMeta(namespace, name),
    // Both, so that what no rule allows is refused.
    spec: { ...spec, policyTypes: ['Ingress', 'Egress'] },
  };
}
