import { groupKey } from '../../resources/kube/kinds.ts';
import { type JsonSchema, ownSchema } from './own-schema.ts';
import { amounts, podSpec } from './pod-shape.ts';
import {
  atomic,
  atomicMap,
  conditions,
  fields,
  listBy,
  map,
  metadata,
  nullable,
  protocol,
  type Shape,
  set,
} from './shape.ts';

const podTemplate = fields({ metadata, spec: podSpec });
const jobSpec = fields({ selector: atomic, template: podTemplate });

const object = (spec?: Shape, status = conditions): Shape =>
  fields({ metadata, status, ...(spec ? { spec } : {}) });
const podStatus = fields({
  conditions: listBy(['type']),
  podIPs: listBy(['ip']),
  allocatedResources: map,
  resourceClaimStatuses: listBy(['name']),
  resources: amounts,
});
const jobStatus = fields({ uncountedTerminatedPods: fields({ failed: set, succeeded: set }) });

/** Kinds that are not listed have nothing in their spec but fields and atomic lists. */
const SHAPES: Readonly<Record<string, Shape>> = {
  'Pod.v1': object(podSpec, podStatus),
  'Deployment.apps/v1': object(fields({ selector: atomic, template: podTemplate })),
  'Job.batch/v1': object(jobSpec, jobStatus),
  'CronJob.batch/v1': object(fields({ jobTemplate: fields({ metadata, spec: jobSpec }) })),
  'Service.v1': object(fields({ ports: listBy(['port', protocol]), selector: atomicMap })),
  'EndpointSlice.discovery.k8s.io/v1': fields({ metadata, endpoints: nullable, ports: nullable }),
  'ConfigMap.v1': fields({ metadata, data: map, binaryData: map }),
  'Secret.v1': fields({ metadata, data: map, stringData: map }),
};
const OTHERS = object();

/** The shape of a whole object of that kind. */
export function shapeOf(kind: { readonly apiVersion: string; readonly kind: string }): Shape {
  const own = ownSchema(kind);
  if (own === undefined) return SHAPES[groupKey(kind)] ?? OTHERS;
  const known = OWN_SHAPES.get(kind.kind) ?? fields({ ...membersOf(own), metadata });
  OWN_SHAPES.set(kind.kind, known);
  return known;
}

const OWN_SHAPES = new Map<string, Shape>();

const membersOf = ({ properties = {} }: JsonSchema): Readonly<Record<string, Shape>> =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) => {
      const shape = shapeOfSchema(schema);
      return shape === undefined ? [] : [[name, shape]];
    }),
  );

/** What the schema of one of our own kinds says of its merging. */
function shapeOfSchema(schema: JsonSchema): Shape | undefined {
  if (schema.properties) return fields(membersOf(schema));
  if (schema.additionalProperties) return map;
  const listType = schema['x-kubernetes-list-type'];
  if (listType === 'set') return set;
  if (listType !== 'map') return undefined;
  return listBy(schema['x-kubernetes-list-map-keys'] ?? [], schema.items && shapeOfSchema(schema.items));
}
