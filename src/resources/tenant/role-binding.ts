import { TENANT_KINDS } from '../kube/kinds.ts';
import type { KubeObject } from '../kube/object.ts';
import { tenantMeta } from './meta.ts';
import type { TenantSettings } from './settings.ts';

/** The ClusterRole in `manifests/registry-secrets.yaml` that lets somebody write the Secrets of builds. */
export const REGISTRY_SECRETS_ROLE = 'sless-registry-secrets';

const RBAC = 'rbac.authorization.k8s.io';

/** Lets the api write the Secrets of builds here: so it may write none anywhere else. */
export function secretCopiesBinding(namespace: string, settings: TenantSettings): KubeObject {
  const { apiVersion, kind } = TENANT_KINDS.RoleBinding;
  const { apiServiceAccount: name, systemNamespace } = settings;
  return {
    apiVersion,
    kind,
    metadata: tenantMeta(namespace, REGISTRY_SECRETS_ROLE),
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: REGISTRY_SECRETS_ROLE },
    subjects: [{ kind: 'ServiceAccount', name, namespace: systemNamespace }],
  };
}
