import type { KubeObject } from '../../../resources/kube/object.ts';
import type { Json } from '../merge-patch.ts';
import { each, membersOf, podSpecDefaults } from './pod.ts';

/** What the API server fills into the spec of a Pod: beside what a template gets, requests where there is but a limit. */
export function podDefaults(spec: Json): Json {
  const whole = podSpecDefaults(spec);
  return {
    enableServiceLinks: true,
    ...whole,
    ...each(whole, 'containers', withRequests),
    ...each(whole, 'initContainers', withRequests),
  };
}

function withRequests(container: Json): Json {
  const { limits, requests, ...rest } = membersOf(container.resources);
  if (limits === undefined) return container;
  return {
    ...container,
    resources: { ...rest, limits, requests: { ...membersOf(limits), ...membersOf(requests) } },
  };
}

const TAINTS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** A Pod's spec with what admission adds: its priority, and the patience with which it sits on a node that is not well. */
export function admittedPod(spec: Json): Json {
  const tolerations: readonly unknown[] = Array.isArray(spec.tolerations) ? spec.tolerations : [];
  const patience = TAINTS.filter((key) => !tolerations.some((known) => membersOf(known).key === key));
  const added = patience.map((key) => ({
    effect: 'NoExecute',
    key,
    operator: 'Exists',
    tolerationSeconds: 300,
  }));
  return {
    preemptionPolicy: 'PreemptLowerPriority',
    priority: 0,
    ...spec,
    tolerations: [...tolerations, ...added],
  };
}

/** The status of a new Pod. */
export function podStatus({ spec }: KubeObject): Json {
  return { phase: 'Pending', qosClass: qosClass(membersOf(spec)) };
}

const AMOUNTS = ['cpu', 'memory'];

function qosClass({ containers, initContainers }: Json): string {
  const all = [containers, initContainers].flatMap((list) =>
    Array.isArray(list) ? list.map(membersOf) : [],
  );
  const resources = all.map((container) => membersOf(container.resources));
  const said = resources.flatMap(({ limits, requests }) =>
    Object.keys({ ...membersOf(limits), ...membersOf(requests) }),
  );
  if (!said.some((name) => AMOUNTS.includes(name))) return 'BestEffort';
  const isFixed = ({ limits, requests }: Json) =>
    AMOUNTS.every((name) => {
      const limit = membersOf(limits)[name];
      return limit !== undefined && limit === membersOf(requests)[name];
    });
  return resources.every(isFixed) ? 'Guaranteed' : 'Burstable';
}
