import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../resources/kube/object.ts';
import { each, membersOf } from './defaults/pod.ts';
import type { Json } from './merge-patch.ts';

/** One line for each part of an object of a built-in kind that has changed and must not. */
export function immutableMistakes(before: KubeObject, after: KubeObject): string[] {
  const frozen = FROZEN[before.kind];
  if (frozen === undefined) return [];
  const [old, now] = [frozen(before, before), frozen(after, before)];
  return Object.keys({ ...old, ...now })
    .filter((path) => !isDeepStrictEqual(old[path], now[path]))
    .map((path) => `${path}: field is immutable`);
}

/** What of an object stays as it is for life, by path; `stored` is how it was before the write. */
type Frozen = (object: KubeObject, stored: KubeObject) => Json;

const members =
  (...paths: readonly string[]): Frozen =>
  (object) =>
    Object.fromEntries(paths.map((path) => [path, memberAt(object, path)]));

function memberAt(object: KubeObject, path: string): unknown {
  return path.split('.').reduce<unknown>((value, step) => membersOf(value)[step], object);
}

/** Data that says of itself that it is immutable. */
const frozenData: Frozen = (object, stored) =>
  stored.immutable === true ? members('data', 'binaryData', 'immutable')(object, stored) : {};

/** Of a Pod, all but its images and its time limit; what it tolerates may only grow. */
const frozenPod: Frozen = ({ spec }, stored) => {
  const { activeDeadlineSeconds: _, tolerations, ...rest } = membersOf(spec);
  const withoutImage = ({ image: _image, ...container }: Json) => container;
  const whole = {
    ...rest,
    ...each(rest, 'containers', withoutImage),
    ...each(rest, 'initContainers', withoutImage),
    tolerations: tolerationsOf(membersOf(stored.spec).tolerations).filter((old) =>
      tolerationsOf(tolerations).some((toleration) => isDeepStrictEqual(old, toleration)),
    ),
  };
  return Object.fromEntries(Object.entries(whole).map(([name, value]) => [`spec.${name}`, value]));
};

const tolerationsOf = (list: unknown): readonly unknown[] => (Array.isArray(list) ? list : []);

const JOB_SPEC = [
  'completionMode',
  'completions',
  'managedBy',
  'manualSelector',
  'podFailurePolicy',
  'selector',
  'template',
];

const FROZEN: Readonly<Record<string, Frozen>> = {
  Deployment: members('spec.selector'),
  Job: members(...JOB_SPEC.map((field) => `spec.${field}`)),
  Service: members('spec.clusterIP'),
  Pod: frozenPod,
  EndpointSlice: members('addressType'),
  ConfigMap: frozenData,
  Secret: (object, stored) => ({ ...members('type')(object, stored), ...frozenData(object, stored) }),
};
