import { formatTime } from '../../resources/kube/time.ts';
import type { Deployment, DeploymentStatus } from './deployment-spec.ts';
import type { RolloutPod } from './rollout.ts';

/** A pod here is a process of 15 to 60 MB on somebody's own machine, which more of them would bring to its knees. */
export const MAX_LOCAL_PODS = 20;

type Condition = NonNullable<DeploymentStatus['conditions']>[number];

interface Observed {
  readonly deployment: Deployment;
  readonly hash: string;
  /** All but those that are ending. */
  readonly pods: readonly RolloutPod[];
  /** When the rollout last got further, milliseconds since 1970. */
  readonly progressAt: number;
  readonly now: number;
}

/** The status of a Deployment in the words of Kubernetes' own controller. Zeros are left out, as it leaves them out. */
export function deploymentStatus(observed: Observed): DeploymentStatus {
  const { deployment, hash, pods } = observed;
  const { generation } = deployment.metadata;
  const ready = pods.filter((pod) => pod.ready).length;
  const { replicas } = deployment.spec;
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...count('replicas', pods.length),
    ...count('updatedReplicas', pods.filter((pod) => pod.hash === hash).length),
    ...count('readyReplicas', ready),
    ...count('availableReplicas', ready),
    ...count('unavailableReplicas', Math.max(0, replicas - ready)),
    conditions: [available(observed, ready), progressing(observed), ...refusedPods(observed)],
  };
}

const count = (name: string, value: number): object => (value === 0 ? {} : { [name]: value });

/** Whether the rollout is over: nothing but the wanted number of new pods, and all of them ready. */
export function isComplete({ deployment, hash, pods }: Omit<Observed, 'progressAt' | 'now'>): boolean {
  return pods.length === deployment.spec.replicas && pods.every((pod) => pod.ready && pod.hash === hash);
}

function available({ deployment, now }: Observed, ready: number): Condition {
  // maxUnavailable is 0 in all Deployments of ours, so the minimum is what is wanted.
  const enough = ready >= deployment.spec.replicas;
  return condition(deployment, now, {
    type: 'Available',
    status: enough ? 'True' : 'False',
    reason: enough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: enough
      ? 'Deployment has minimum availability.'
      : 'Deployment does not have minimum availability.',
  });
}

function progressing(observed: Observed): Condition {
  const { deployment, hash, now, progressAt } = observed;
  const replicaSet = `ReplicaSet "${deployment.metadata.name}-${hash}"`;
  const deadlineMs = deployment.spec.progressDeadlineSeconds * 1000;
  if (isComplete(observed)) {
    return condition(deployment, now, {
      type: 'Progressing',
      status: 'True',
      reason: 'NewReplicaSetAvailable',
      message: `${replicaSet} has successfully progressed.`,
    });
  }
  const late = now - progressAt >= deadlineMs;
  const said = condition(deployment, now, {
    type: 'Progressing',
    status: late ? 'False' : 'True',
    reason: late ? LATE : UNDER_WAY,
    message: late ? `${replicaSet} has timed out progressing.` : `${replicaSet} is progressing.`,
  });
  // As Kubernetes has it: the time of the last progress. It outlives this process.
  return { ...said, lastUpdateTime: formatTime(progressAt) };
}

const UNDER_WAY = 'ReplicaSetUpdated';
const LATE = 'ProgressDeadlineExceeded';

/**
 * When the rollout of that template last got further, by the status of a Deployment that an earlier process has written (milliseconds since 1970);
 * `undefined` where it says of none that is under way.
 */
export function lastProgress({ metadata, status }: Deployment, hash: string): number | undefined {
  const said = status?.conditions?.find(({ type }) => type === 'Progressing');
  const isOfIt = said?.message.startsWith(`ReplicaSet "${metadata.name}-${hash}"`) === true;
  if (said === undefined || !isOfIt || (said.reason !== UNDER_WAY && said.reason !== LATE)) return undefined;
  const at = Date.parse(said.lastUpdateTime);
  return Number.isNaN(at) ? undefined : at;
}

/** Pods that are wanted and not made, as Kubernetes tells of those that a quota refuses. */
function refusedPods({ deployment, now }: Observed): Condition[] {
  const { replicas } = deployment.spec;
  if (replicas <= MAX_LOCAL_PODS) return [];
  const message = `local mode runs at most ${MAX_LOCAL_PODS} pods of one function, and ${replicas} are wanted`;
  return [
    condition(deployment, now, { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message }),
  ];
}

type Said = Omit<Condition, 'lastUpdateTime' | 'lastTransitionTime'>;

/** With the times of the condition before, where it says the same. */
function condition(deployment: Deployment, now: number, said: Said): Condition {
  const before = deployment.status?.conditions?.find(({ type }) => type === said.type);
  const time = formatTime(now);
  const same =
    before?.status === said.status && before.reason === said.reason && before.message === said.message;
  return {
    ...said,
    lastUpdateTime: same ? before.lastUpdateTime : time,
    lastTransitionTime: before?.status === said.status ? before.lastTransitionTime : time,
  };
}
