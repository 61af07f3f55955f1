import { groupKey, KINDS, type Kind, SLESS_API_VERSION } from '../../resources/kube/kinds.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { admittedPod, podDefaults, podStatus } from './defaults/bare-pod.ts';
import {
  addressOf,
  endpointSliceDefaults,
  namespaceDefaults,
  secretDefaults,
  serviceDefaults,
  storedEndpointSlice,
  withAddress,
} from './defaults/core.ts';
import { membersOf } from './defaults/pod.ts';
import {
  cronJobDefaults,
  deploymentDefaults,
  jobDefaults,
  withSelector,
  withTemplateLabels,
} from './defaults/workload.ts';
import type { Json } from './merge-patch.ts';

/** What the API server does with objects of one kind. */
export interface KindRules {
  readonly kind: Kind;
  /** Whether the status is written through a subresource of its own. */
  readonly statusSubresource: boolean;
  /** Whether `metadata.generation` counts the changes of what is wanted. */
  readonly generation: boolean;
  readonly initialStatus?: (object: KubeObject) => Json;
  /** Whether unknown and null members are the schema's business, as with kinds that a CRD defines. */
  readonly custom: boolean;
  readonly defaults: (object: KubeObject) => Json;
  /** What an object has beyond that, and nobody owns: addresses, a Job's own selector. */
  readonly assigned: (object: KubeObject, before: KubeObject | undefined) => Json;
  /** What becomes of any object on its way to where it is kept. */
  readonly stored: (object: KubeObject) => Json;
}

/** Kinds of which the API server keeps no generation, and kinds without a status: recorded or read in its strategies. */
const WITHOUT_GENERATION = new Set([
  'ConfigMap',
  'Secret',
  'Namespace',
  'Service',
  'ServiceAccount',
  'LimitRange',
  'ResourceQuota',
]);
const WITHOUT_STATUS = new Set([
  'ConfigMap',
  'Secret',
  'EndpointSlice',
  'ServiceAccount',
  'LimitRange',
  'NetworkPolicy',
]);

const INITIAL_STATUS: Readonly<Record<string, (object: KubeObject) => Json>> = {
  Namespace: () => ({ phase: 'Active' }),
  Pod: podStatus,
  Service: () => ({ loadBalancer: {} }),
  Deployment: () => ({}),
  Job: () => ({}),
  CronJob: () => ({}),
};

const withSpec =
  (change: (spec: Json, metadata: { name: string; uid: string }) => Json) =>
  (object: KubeObject): KubeObject => {
    const { name, uid = '' } = object.metadata;
    return { ...object, spec: change(membersOf(object.spec), { name, uid }) };
  };

const DEFAULTS: Readonly<Record<string, (object: KubeObject) => Json>> = {
  Deployment: withSpec(deploymentDefaults),
  Job: (job) => withTemplateLabels(withSpec(jobDefaults)(job)),
  CronJob: withSpec(cronJobDefaults),
  Pod: withSpec(podDefaults),
  Service: withSpec(serviceDefaults),
  Secret: secretDefaults,
  EndpointSlice: endpointSliceDefaults,
  Namespace: namespaceDefaults,
};

const ASSIGNED: Readonly<Record<string, KindRules['assigned']>> = {
  Namespace: (namespace) => ({ ...namespace, spec: { finalizers: ['kubernetes'] } }),
  Job: (job, before) => (before ? job : withSelector(job)),
  Pod: withSpec(admittedPod),
  Service: (service, before) =>
    withSpec((spec, { uid }) => withAddress({ ...addressOf(membersOf(before?.spec)), ...spec }, uid))(
      service,
    ),
};

const STORED: Readonly<Record<string, (object: KubeObject) => Json>> = { EndpointSlice: storedEndpointSlice };

const asItIs = (object: KubeObject): Json => object;

/** The rules of every kind that the cluster serves, by `groupKey`. */
export const KIND_RULES: ReadonlyMap<string, KindRules> = new Map(
  Object.values(KINDS).map((kind) => [groupKey(kind), rulesOf(kind)]),
);

function rulesOf(kind: Kind): KindRules {
  const custom = kind.apiVersion === SLESS_API_VERSION;
  const initialStatus = INITIAL_STATUS[kind.kind];
  return {
    kind,
    custom,
    statusSubresource: !WITHOUT_STATUS.has(kind.kind),
    generation: !WITHOUT_GENERATION.has(kind.kind),
    defaults: DEFAULTS[kind.kind] ?? asItIs,
    assigned: ASSIGNED[kind.kind] ?? asItIs,
    stored: STORED[kind.kind] ?? asItIs,
    ...(initialStatus ? { initialStatus } : {}),
  };
}
