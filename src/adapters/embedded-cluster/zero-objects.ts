import { groupKey } from '../../resources/kube/kinds.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import type { Json } from './merge-patch.ts';

const podTemplate = { metadata: {}, spec: { containers: null } };
const jobSpec = { template: podTemplate };

/** What an object of a built-in kind is before anything was said of it: parts that its type always has belong to nobody who adds to them. */
const ZERO: Readonly<Record<string, Json>> = {
  'Pod.v1': { spec: { containers: null } },
  'Deployment.apps/v1': { spec: { selector: null, strategy: {}, template: podTemplate } },
  'Job.batch/v1': { spec: jobSpec },
  'CronJob.batch/v1': { spec: { schedule: '', jobTemplate: { metadata: {}, spec: jobSpec } } },
  'Service.v1': { spec: {} },
  'Namespace.v1': { spec: {} },
  'EndpointSlice.discovery.k8s.io/v1': { addressType: '', endpoints: null, ports: null },
};

/** An object of that kind with nothing in it, against which a new one is compared. */
export function zeroOf({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  return {
    apiVersion,
    kind,
    status: {},
    ...ZERO[groupKey({ apiVersion, kind })],
    metadata: { name: metadata.name },
  };
}
