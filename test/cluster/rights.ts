import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import type { KubeObject } from '../../src/resources/kube/object.ts';

const FOLDER = resolve(import.meta.dirname, '../../charts/sless/files/rights');

/**
 * What a role may do, as the rules of ClusterRoles: those of the chart. What ends in `InTenants` is bound in each tenant's namespace.
 * Roles that are processes of this machine have the kubeconfig's own rights instead.
 */
export const RIGHTS = {
  api: rightsOf('api'),
  apiInTenants: rightsOf('api-in-tenants'),
  proxy: rightsOf('proxy'),
  dispatcher: rightsOf('dispatcher'),
  dispatcherInTenants: rightsOf('dispatcher-in-tenants'),
} as const;

interface Bound {
  readonly name: string;
  readonly rules: readonly object[];
  readonly account: { readonly name: string; readonly namespace: string };
}

/** Rights in one namespace, under a name of a test's own: as the controller of tenants gives them, which binds names of an installation. */
export function boundIn(
  namespace: string,
  { name, rules, account }: Bound,
): readonly [KubeObject, KubeObject] {
  const group = 'rbac.authorization.k8s.io';
  const apiVersion = `${group}/v1`;
  return [
    { apiVersion, kind: 'Role', metadata: { name, namespace }, rules },
    {
      apiVersion,
      kind: 'RoleBinding',
      metadata: { name, namespace },
      roleRef: { apiGroup: group, kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    },
  ];
}

function rightsOf(role: string): readonly object[] {
  return parse(readFileSync(`${FOLDER}/${role}.yaml`, 'utf8')) as readonly object[];
}
