import type { KubeObject } from '../../resources/kube/object.ts';
import type { ContainerStatus, PodStatus } from '../pod/pod-status.ts';

/** A Pod's status; one that is new has nothing of it. */
const statusOf = ({ status }: KubeObject): Partial<PodStatus> => (status ?? {}) as Partial<PodStatus>;

const containersOf = (pod: KubeObject): readonly ContainerStatus[] => statusOf(pod).containerStatuses ?? [];

/** How many of its containers are ready, of how many: `0/1`. */
export function readyOf(pod: KubeObject): string {
  const { containers = [] } = (pod.spec ?? {}) as { readonly containers?: readonly unknown[] };
  return `${containersOf(pod).filter(({ ready }) => ready).length}/${containers.length}`;
}

export function restartsOf(pod: KubeObject): string {
  return String(containersOf(pod).reduce((sum, { restartCount }) => sum + restartCount, 0));
}

/**
 * The one word that kubectl has for a Pod: what its first container waits for or ended by, that of an init container while those go on,
 * else the phase. A container that crashes again and again leaves the phase at Running, so the phase alone says nothing.
 */
export function stateOf(pod: KubeObject): string {
  const { phase = 'Pending', reason, initContainerStatuses = [] } = statusOf(pod);
  if (pod.metadata.deletionTimestamp !== undefined) return 'Terminating';
  const init = initContainerStatuses.find(
    ({ state }) => !('terminated' in state && state.terminated.exitCode === 0),
  );
  const begun = init === undefined ? undefined : wordOf(init);
  if (begun !== undefined) return `Init:${begun}`;
  const words = containersOf(pod).map(wordOf);
  return words.find((word) => word !== undefined) ?? reason ?? phase;
}

function wordOf({ state }: ContainerStatus): string | undefined {
  if ('waiting' in state) return state.waiting.reason;
  return 'terminated' in state ? state.terminated.reason : undefined;
}
