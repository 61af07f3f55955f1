import { groupKey } from '../../resources/kube/kinds.ts';

/**
 * How the API server merges a field: what its OpenAPI calls `x-kubernetes-list-type`, `-list-map-keys` and `-map-type`.
 * A field that has no shape merges key by key when it is an object, and is replaced whole when it is a list.
 */
export type Shape =
  | { readonly type: 'fields'; readonly fields: Readonly<Record<string, Shape>> }
  | { readonly type: 'atomic' }
  | { readonly type: 'set' }
  | { readonly type: 'list'; readonly keys: readonly ListKey[]; readonly item?: Shape };

/** A key of a list's items, with the value that the API server fills in when it is left out. */
interface ListKey {
  readonly name: string;
  readonly absent?: string;
}

const fields = (members: Readonly<Record<string, Shape>>): Shape => ({ type: 'fields', fields: members });
const listBy = (keys: readonly (string | ListKey)[], item?: Shape): Shape => ({
  type: 'list',
  keys: keys.map((key) => (typeof key === 'string' ? { name: key } : key)),
  ...(item ? { item } : {}),
});
const atomic: Shape = { type: 'atomic' };
const protocol: ListKey = { name: 'protocol', absent: 'TCP' };
const conditions = fields({ conditions: listBy(['type']) });

const metadata = fields({ ownerReferences: listBy(['uid'], atomic), finalizers: { type: 'set' } });

const keyRef = fields({
  secretKeyRef: atomic,
  configMapKeyRef: atomic,
  fieldRef: atomic,
  resourceFieldRef: atomic,
});
const container = fields({
  env: listBy(['name'], fields({ valueFrom: keyRef })),
  ports: listBy(['containerPort', protocol]),
  volumeMounts: listBy(['mountPath']),
  volumeDevices: listBy(['devicePath']),
});
const podSpec = fields({
  containers: listBy(['name'], container),
  initContainers: listBy(['name'], container),
  volumes: listBy(['name']),
  imagePullSecrets: listBy(['name'], atomic),
  hostAliases: listBy(['ip']),
  topologySpreadConstraints: listBy(['topologyKey', 'whenUnsatisfiable'], fields({ labelSelector: atomic })),
  nodeSelector: atomic,
});
const podTemplate = fields({ metadata, spec: podSpec });
const jobSpec = fields({ selector: atomic, template: podTemplate });

const object = (spec?: Shape): Shape => fields({ metadata, status: conditions, ...(spec ? { spec } : {}) });

/** Kinds that are not listed have nothing in their spec but maps and atomic lists. */
const SHAPES: Readonly<Record<string, Shape>> = {
  'Function.sless.dev/v1alpha1': object(fields({ secrets: { type: 'set' } })),
  'Pod.v1': object(podSpec),
  'Deployment.apps/v1': object(fields({ selector: atomic, template: podTemplate })),
  'Job.batch/v1': object(jobSpec),
  'CronJob.batch/v1': object(fields({ jobTemplate: fields({ metadata, spec: jobSpec }) })),
  'Service.v1': object(fields({ ports: listBy(['port', protocol]), selector: atomic })),
};
const OTHERS = object();

/** The shape of a whole object of that kind. */
export function shapeOf(kind: { readonly apiVersion: string; readonly kind: string }): Shape {
  return SHAPES[groupKey(kind)] ?? OTHERS;
}

/** The shape of a member of an object of `shape`. */
export function memberShape(shape: Shape | undefined, key: string): Shape | undefined {
  return shape?.type === 'fields' ? shape.fields[key] : undefined;
}
