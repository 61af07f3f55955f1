import { KINDS, type Kind } from '../../../src/resources/kube/kinds.ts';
import type { Json, Step } from './step.ts';

/** Something that the embedded cluster does otherwise than an API server, on purpose. */
export interface Difference {
  readonly title: string;
  /** Why it is left so. ADR 9 has the same words. */
  readonly why: string;
  readonly kind: Kind;
  /** An example, about one object. */
  readonly steps: readonly Step[];
  /** What is looked at in the answer to the last step, by path; else only whether it was `stored`. */
  readonly look?: string;
  readonly real: unknown;
  readonly embedded: unknown;
}

const create = (body: Json): Step => ({ do: 'create', name: 'a', body });
const apply = (body: Json): Step => ({ do: 'apply', name: 'a', manager: 'one', body });
const patch = (body: Json): Step => ({ do: 'patch', name: 'a', body });

const selector = { matchLabels: { app: 'a' } };
const deployment = (pod: Json, spec: Json = {}): Json => ({
  spec: {
    paused: true,
    selector,
    template: {
      metadata: { labels: { app: 'a' } },
      spec: { containers: [{ name: 'c', image: 'i' }], ...pod },
    },
    ...spec,
  },
});
const service = (spec: Json): Json => ({ spec: { ports: [{ port: 80 }], ...spec } });
const slice = (address: string): Json => ({ addressType: 'IPv4', endpoints: [{ addresses: [address] }] });
const pod = (spec: Json): Json => ({
  spec: { schedulerName: 'nobody', containers: [{ name: 'c', image: 'i' }], ...spec },
});

const TYPES = 'the types of built-in kinds are not here';
const SENSE = 'built-in kinds are judged for what writers do to each other, not in full';
const ADDRESSES = 'there is no network behind them, and local pods listen on this machine';
const ADMISSION = 'nobody reads what admission would add';
const STATUS =
  'the status of built-in kinds is written by controllers alone, and by local mode in their place';

/** The whole list. Random requests keep away from these, and a test holds that each still is as it says. */
export const DIFFERENCES: readonly Difference[] = [
  {
    title: 'a field that a built-in kind does not have, in an apply',
    why: TYPES,
    kind: KINDS.ConfigMap,
    steps: [apply({ data: {}, surprise: 1 })],
    real: 'Invalid',
    embedded: 'stored',
  },
  {
    title: 'a field that a built-in kind does not have, in a create',
    why: TYPES,
    kind: KINDS.ConfigMap,
    steps: [create({ data: {}, surprise: 1 })],
    look: 'surprise',
    real: undefined,
    embedded: 1,
  },
  {
    title: 'a value of another type in a built-in kind',
    why: TYPES,
    kind: KINDS.Deployment,
    steps: [create(deployment({}, { replicas: 'two' }))],
    real: 'Invalid',
    embedded: 'stored',
  },
  {
    title: 'a number that is out of bounds in a built-in kind',
    why: SENSE,
    kind: KINDS.Deployment,
    steps: [create(deployment({}, { replicas: -1 }))],
    real: 'Invalid',
    embedded: 'stored',
  },
  {
    title: 'a container that requests more than its limit',
    why: SENSE,
    kind: KINDS.Deployment,
    steps: [
      create(
        deployment({
          containers: [
            { name: 'c', image: 'i', resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } },
          ],
        }),
      ),
    ],
    real: 'Invalid',
    embedded: 'stored',
  },
  {
    title: 'a schedule that is none',
    why: SENSE,
    kind: KINDS.CronJob,
    steps: [
      create({
        spec: {
          suspend: true,
          schedule: 'now and then',
          jobTemplate: {
            spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
          },
        },
      }),
    ],
    real: 'Invalid',
    embedded: 'stored',
  },
  {
    title: 'a Secret of a type that demands keys',
    why: SENSE,
    kind: KINDS.Secret,
    steps: [create({ type: 'kubernetes.io/tls', data: {} })],
    real: 'Invalid',
    embedded: 'stored',
  },
  {
    title: 'more than a megabyte of data',
    why: 'local mode has room for it',
    kind: KINDS.ConfigMap,
    steps: [create({ data: { a: 'x'.repeat(1_048_577) } })],
    real: 'Invalid',
    embedded: 'stored',
  },
  {
    title: 'the address of a Service',
    why: ADDRESSES,
    kind: KINDS.Service,
    steps: [create(service({ clusterIP: '192.0.2.1' }))],
    real: 'Invalid',
    embedded: 'stored',
  },
  {
    title: 'a headless Service that gets a selector after all, where there is one family of addresses',
    why: ADDRESSES,
    kind: KINDS.Service,
    steps: [create(service({ clusterIP: 'None' })), patch({ spec: { selector: { app: 'a' } } })],
    real: 'Invalid',
    embedded: 'stored',
  },
  {
    title: 'an endpoint on this machine',
    why: ADDRESSES,
    kind: KINDS.EndpointSlice,
    steps: [create(slice('127.0.0.1'))],
    real: 'Invalid',
    embedded: 'stored',
  },
  {
    title: 'an endpoint that is no address at all',
    why: ADDRESSES,
    kind: KINDS.EndpointSlice,
    steps: [create(slice('somewhere'))],
    real: 'Invalid',
    embedded: 'stored',
  },
  {
    title: 'the service account of a Pod',
    why: ADMISSION,
    kind: KINDS.Pod,
    steps: [create(pod({ automountServiceAccountToken: false }))],
    look: 'spec.serviceAccountName',
    real: 'default',
    embedded: undefined,
  },
  {
    title: 'the time limit of a Pod, taken away',
    why: SENSE,
    kind: KINDS.Pod,
    steps: [
      create(pod({ serviceAccountName: 'default', activeDeadlineSeconds: 60 })),
      patch({ spec: { activeDeadlineSeconds: null } }),
    ],
    real: 'Invalid',
    embedded: 'stored',
  },
  {
    title: 'times that a condition of a Pod does not have',
    why: STATUS,
    kind: KINDS.Pod,
    steps: [
      create(pod({ serviceAccountName: 'default' })),
      { do: 'patchStatus', name: 'a', body: { status: { conditions: [{ type: 'Ready', status: 'True' }] } } },
    ],
    look: 'status.conditions.0.lastProbeTime',
    real: null,
    embedded: undefined,
  },
  {
    title: 'the status of a Service that is not there',
    why: STATUS,
    kind: KINDS.Service,
    steps: [{ do: 'replaceStatus', name: 'a', body: {} }],
    real: 'Invalid',
    embedded: 'NotFound',
  },
  {
    title: 'a status of a Job that contradicts itself',
    why: STATUS,
    kind: KINDS.Job,
    steps: [
      create({
        spec: {
          managedBy: 'sless.dev/nobody',
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
        },
      }),
      {
        do: 'patchStatus',
        name: 'a',
        body: { status: { conditions: [{ type: 'Complete', status: 'True' }] } },
      },
    ],
    real: 'Invalid',
    embedded: 'stored',
  },
  {
    title:
      'an empty map in the metadata of our own kinds: the next write, though it says nothing new, makes a new version',
    why: 'the server keeps the map and drops it when it reads; hooks emit no empty maps',
    kind: KINDS.Function,
    steps: [
      apply({ spec: { runtime: 'nodejs20' } }),
      patch({}), // writes down the default of the status
      apply({ metadata: { labels: {} }, spec: { runtime: 'nodejs20' } }),
      patch({ spec: { runtime: 'nodejs20' } }),
    ],
    look: 'metadata.resourceVersion',
    real: 'version-4',
    embedded: 'version-3',
  },
  {
    title: 'managed fields that are taken away by their own name',
    why: 'nobody here does that',
    kind: KINDS.ConfigMap,
    steps: [create({ data: { a: '1' } }), patch({ metadata: { managedFields: [{}] } })],
    look: 'metadata.managedFields',
    real: undefined,
    embedded: ['sless-differential Update: /data/. /data/a'],
  },
];

/** The line of a difference in the table of ADR 9. */
export function adrLine({ title, real, embedded, why }: Difference): string {
  const word = (value: unknown) =>
    typeof value === 'string' ? value : `\`${JSON.stringify(value) ?? 'absent'}\``;
  return `| ${title} | ${word(real)} | ${word(embedded)} | ${why} |`;
}
