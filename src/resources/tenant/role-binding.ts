import { TENANT_KINDS } from '../kube/kinds.ts';
import type { KubeObject } from '../kube/object.ts';
import { tenantMeta } from './meta.ts';
import type { TenantSettings } from './settings.ts';

/** The ClusterRole in `manifests/registry-secrets.yaml` that lets somebody write the Secrets of builds. */
export const REGISTRY_SECRETS_ROLE = 'sless-registry-secrets';
/** What the api does with what lies in tenants' namespaces: `charts/sless/files/rights/api-in-tenants.yaml`. */
export const API_ROLE = 'sless-api-in-tenants';
/** The same of the dispatcher. */
export const DISPATCHER_ROLE = 'sless-dispatcher-in-tenants';

/** Whoever attaches bindings to these must be allowed to `bind` them. */
export const BOUND_ROLES: readonly string[] = [API_ROLE, DISPATCHER_ROLE, REGISTRY_SECRETS_ROLE];

const RBAC = 'rbac.authorization.k8s.io';

/**
 * Lets api and dispatcher write here what is theirs to write. They may write it nowhere else: whoever may change a Deployment in every
 * namespace has the rights of every ServiceAccount. A dispatcher that is not installed has no account, and its binding binds nobody.
 */
export function serviceBindings(namespace: string, settings: TenantSettings): KubeObject[] {
  const { apiServiceAccount: api, dispatcherServiceAccount: dispatcher } = settings;
  return [
    binding(API_ROLE, { namespace, account: api, settings }),
    binding(DISPATCHER_ROLE, { namespace, account: dispatcher, settings }),
  ];
}

/** Lets the api write the Secrets of builds here: so it may write none anywhere else. */
export function secretCopiesBinding(namespace: string, settings: TenantSettings): KubeObject {
  return binding(REGISTRY_SECRETS_ROLE, { namespace, account: settings.apiServiceAccount, settings });
}

interface Bound {
  readonly namespace: string;
  readonly account: string;
  readonly settings: TenantSettings;
}

/** A binding goes by the name of its role. */
function binding(role: string, { namespace, account: name, settings }: Bound): KubeObject {
  const { apiVersion, kind } = TENANT_KINDS.RoleBinding;
  return {
    apiVersion,
    kind,
    metadata: tenantMeta(namespace, role),
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', name, namespace: settings.systemNamespace }],
  };
}
