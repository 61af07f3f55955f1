import type { ContainerRef } from '../../ports/pod-logs.ts';
import type { KubeObject, TypedObject } from '../../resources/kube/object.ts';

interface ContainerStatus {
  readonly name: string;
  readonly restartCount?: number;
  readonly state?: { readonly running?: object; readonly terminated?: object };
  readonly lastState?: { readonly terminated?: object };
}

type Pod = TypedObject<
  object,
  {
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly containerStatuses?: readonly ContainerStatus[];
  }
>;

/** A container that has started at least once. */
export interface StartedContainer {
  readonly ref: ContainerRef;
  readonly restarts: number;
  readonly running: boolean;
}

/** Containers of a pod that may have written something, in the order in which they run. */
export function startedContainers(pod: KubeObject): StartedContainer[] {
  const { name, namespace = '' } = pod.metadata;
  const { status } = pod as Pod; // what the API hands out under that kind has its shape
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
    .filter(
      ({ state, lastState }) => (state?.running ?? state?.terminated ?? lastState?.terminated) !== undefined,
    )
    .map(({ name: container, restartCount = 0, state }) => ({
      ref: { namespace, pod: name, container },
      restarts: restartCount,
      running: state?.running !== undefined,
    }));
}

/** The name of a container among those of a namespace. */
export const keyOf = ({ pod, container }: ContainerRef): string => `${pod}/${container}`;
