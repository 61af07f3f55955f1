import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../resources/kube/object.ts';
import { membersOf } from './defaults/pod.ts';
import type { Json } from './merge-patch.ts';

/**
 * One line for each thing without which an object of a built-in kind makes no sense, and for each contradiction that writers make who do
 * not know of each other. Beyond that nothing is judged of it.
 */
export function senseless(object: KubeObject): string[] {
  return RULES[object.kind]?.(membersOf(object.spec), object) ?? [];
}

type Rule = (spec: Json, object: KubeObject) => string[];

const required = (path: string, value: unknown): string[] =>
  value === undefined || value === '' ? [`${path}: is required`] : [];

const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.map(membersOf) : []);

/** At most one of these members; just one, where something must be said. */
function oneOf(path: string, of: unknown, { names, none = true }: Choice): string[] {
  const said = names.filter((name) => membersOf(of)[name] !== undefined);
  if (said.length > 1) return [`${path}: may have only one of ${said.join(', ')}`];
  return said.length === 0 && of !== undefined && !none
    ? [`${path}: must have one of ${names.join(', ')}`]
    : [];
}

interface Choice {
  readonly names: readonly string[];
  readonly none?: boolean;
}

const VOLUME: Choice = {
  names: ['configMap', 'downwardAPI', 'emptyDir', 'persistentVolumeClaim', 'projected', 'secret'],
};
const VALUE: Choice = { names: ['value', 'valueFrom'] };
const VALUE_FROM: Choice = {
  names: ['configMapKeyRef', 'fieldRef', 'resourceFieldRef', 'secretKeyRef'],
  none: false,
};
const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'];
const PROBE: Choice = { names: ['exec', 'grpc', 'httpGet', 'tcpSocket'], none: false };
const HOOK: Choice = { names: ['exec', 'httpGet', 'sleep', 'tcpSocket'], none: false };

function pod(path: string, spec: Json): string[] {
  const volumes = listOf(spec.volumes);
  const mounted = new Set(volumes.map(({ name }) => name));
  const containers = ['containers', 'initContainers'].flatMap((list) =>
    listOf(spec[list]).flatMap((item, index) => container(`${path}.${list}[${index}]`, item, mounted)),
  );
  return [
    ...(listOf(spec.containers).length > 0 ? [] : [`${path}.containers: is required`]),
    ...containers,
    ...volumes.flatMap((volume, index) => volumeMistakes(`${path}.volumes[${index}]`, volume)),
  ];
}

const volumeMistakes = (path: string, volume: Json): string[] => [
  ...oneOf(path, volume, VOLUME),
  ...member(`${path}.secret`, volume.secret, 'secretName'),
  ...member(`${path}.configMap`, volume.configMap, 'name'),
];

/** What must be said of something, where it is there at all. */
const member = (path: string, of: unknown, name: string): string[] =>
  of === undefined ? [] : required(`${path}.${name}`, membersOf(of)[name]);

function container(path: string, spec: Json, volumes: ReadonlySet<unknown>): string[] {
  const { preStop, postStart } = membersOf(spec.lifecycle);
  return [
    ...required(`${path}.name`, spec.name),
    ...required(`${path}.image`, spec.image),
    ...PROBES.flatMap((probe) => handler(`${path}.${probe}`, spec[probe], PROBE)),
    ...handler(`${path}.lifecycle.preStop`, preStop, HOOK),
    ...handler(`${path}.lifecycle.postStart`, postStart, HOOK),
    ...listOf(spec.env).flatMap((variable, index) => [
      ...oneOf(`${path}.env[${index}]`, variable, VALUE),
      ...oneOf(`${path}.env[${index}].valueFrom`, variable.valueFrom, VALUE_FROM),
    ]),
    ...listOf(spec.volumeMounts).flatMap(({ name }, index) =>
      volumes.has(name) ? [] : [`${path}.volumeMounts[${index}].name: there is no volume ${String(name)}`],
    ),
  ];
}

/** What a probe or a hook does, and where. */
function handler(path: string, of: unknown, choice: Choice): string[] {
  const { httpGet, tcpSocket } = membersOf(of);
  return [
    ...oneOf(path, of, choice),
    ...member(`${path}.httpGet`, httpGet, 'port'),
    ...member(`${path}.tcpSocket`, tcpSocket, 'port'),
  ];
}

const podOf = (template: unknown): Json => membersOf(membersOf(template).spec);

/** Jobs end, so their pods must too. */
function job(path: string, spec: Json): string[] {
  const { restartPolicy } = podOf(spec.template);
  const ends = restartPolicy === 'Never' || restartPolicy === 'OnFailure';
  return [
    ...pod(`${path}.template.spec`, podOf(spec.template)),
    ...(ends ? [] : [`${path}.template.spec.restartPolicy: must be Never or OnFailure`]),
    ...unknownContainers(`${path}.podFailurePolicy`, spec),
  ];
}

/** Rules about exit codes name a container of the pod. */
function unknownContainers(path: string, { podFailurePolicy, template }: Json): string[] {
  const { containers, initContainers } = podOf(template);
  const known = [...listOf(containers), ...listOf(initContainers)].map(({ name }) => name);
  const named = listOf(membersOf(podFailurePolicy).rules).map(
    ({ onExitCodes }) => membersOf(onExitCodes).containerName,
  );
  return named.flatMap((name, index) =>
    name === undefined || known.includes(name)
      ? []
      : [`${path}.rules[${index}].onExitCodes.containerName: there is no container ${String(name)}`],
  );
}

function deployment({ selector, strategy, template }: Json): string[] {
  const { type, rollingUpdate } = membersOf(strategy);
  const labels = membersOf(membersOf(membersOf(template).metadata).labels);
  const wanted = membersOf(membersOf(selector).matchLabels);
  const found = Object.fromEntries(Object.keys(wanted).map((name) => [name, labels[name]]));
  return [
    ...required('spec.selector', selector),
    ...(isDeepStrictEqual(wanted, found) ? [] : ['spec.template.metadata.labels: must match spec.selector']),
    ...(type === 'Recreate' && rollingUpdate !== undefined
      ? ['spec.strategy.rollingUpdate: must go with Recreate']
      : []),
    ...pod('spec.template.spec', podOf(template)),
  ];
}

/** Ports are told apart by their names as soon as there are two. */
function portNames(ports: readonly Json[]): string[] {
  const names = ports.map(({ name }) => name);
  return names.flatMap((name, index) => [
    ...(names.length > 1 ? required(`spec.ports[${index}].name`, name) : []),
    ...(name !== undefined && names.indexOf(name) < index
      ? [`spec.ports[${index}].name: is there twice`]
      : []),
  ]);
}

const RULES: Readonly<Record<string, Rule>> = {
  Deployment: deployment,
  Job: (spec) => job('spec', spec),
  CronJob: ({ schedule, jobTemplate }) => [
    ...required('spec.schedule', schedule),
    ...job('spec.jobTemplate.spec', podOf(jobTemplate)),
  ],
  Pod: (spec) => pod('spec', spec),
  Service: ({ clusterIP, ports, type }) => [
    ...(clusterIP === 'None' || type === 'ExternalName' ? [] : required('spec.ports', ports)),
    ...portNames(listOf(ports)),
  ],
  EndpointSlice: (_, { addressType }) => required('addressType', addressType),
};
