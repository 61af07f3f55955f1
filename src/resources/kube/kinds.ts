/** What must be known of a kind to address its objects through the API. */
export interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

/** The group and version of the kinds that sless defines. */
export const SLESS_API_VERSION = 'sless.dev/v1alpha1';

const kind = (apiVersion: string, name: string, plural: string, namespaced = true): Kind =>
  Object.freeze({ apiVersion, kind: name, plural, namespaced });

/** Every kind that sless reads or writes. */
export const KINDS = Object.freeze({
  Function: kind(SLESS_API_VERSION, 'Function', 'functions'),
  Trigger: kind(SLESS_API_VERSION, 'Trigger', 'triggers'),
  FunctionJob: kind(SLESS_API_VERSION, 'FunctionJob', 'functionjobs'),
  Namespace: kind('v1', 'Namespace', 'namespaces', false),
  Pod: kind('v1', 'Pod', 'pods'),
  Service: kind('v1', 'Service', 'services'),
  ConfigMap: kind('v1', 'ConfigMap', 'configmaps'),
  Secret: kind('v1', 'Secret', 'secrets'),
  Deployment: kind('apps/v1', 'Deployment', 'deployments'),
  Job: kind('batch/v1', 'Job', 'jobs'),
  CronJob: kind('batch/v1', 'CronJob', 'cronjobs'),
  EndpointSlice: kind('discovery.k8s.io/v1', 'EndpointSlice', 'endpointslices'),
});

/**
 * What a tenant's namespace receives beside them. Only an API server has a use for these: local mode serves none of
 * them, so they stand apart from the kinds that every cluster must have.
 */
export const TENANT_KINDS = Object.freeze({
  ServiceAccount: kind('v1', 'ServiceAccount', 'serviceaccounts'),
  ResourceQuota: kind('v1', 'ResourceQuota', 'resourcequotas'),
  LimitRange: kind('v1', 'LimitRange', 'limitranges'),
  NetworkPolicy: kind('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies'),
  RoleBinding: kind('rbac.authorization.k8s.io/v1', 'RoleBinding', 'rolebindings'),
});

/** The key under which Metacontroller groups objects of a kind in hook requests, e.g. `Deployment.apps/v1`. */
export function groupKey(of: Pick<Kind, 'apiVersion' | 'kind'>): string {
  return `${of.kind}.${of.apiVersion}`;
}

/** What a whole cluster serves. */
export const ALL_KINDS: readonly Kind[] = [...Object.values(KINDS), ...Object.values(TENANT_KINDS)];

/** The kind of that name and version, if it is among these; by default among all that sless knows. */
export function findKind(
  apiVersion: string,
  name: string,
  among: readonly Kind[] = ALL_KINDS,
): Kind | undefined {
  return among.find((known) => known.kind === name && known.apiVersion === apiVersion);
}
