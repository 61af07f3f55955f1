import { TENANT_KINDS } from '../kube/kinds.ts';
import type { KubeObject } from '../kube/object.ts';
import { tenantMeta } from './meta.ts';
import type { TenantSettings } from './settings.ts';

/** Who builds run as. No role names it: its token proves to the api whose code a build may fetch, and nothing more. */
export function buildServiceAccount(namespace: string, settings: TenantSettings): KubeObject {
  const { apiVersion, kind } = TENANT_KINDS.ServiceAccount;
  const { buildServiceAccount: name, pullSecret } = settings;
  return {
    apiVersion,
    kind,
    metadata: tenantMeta(namespace, name),
    automountServiceAccountToken: false,
    ...(pullSecret === undefined ? {} : { imagePullSecrets: [{ name: pullSecret }] }),
  };
}
