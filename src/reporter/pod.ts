import type { KubeObject, TypedObject } from '../resources/kube/object.ts';

/** How a container ended. */
export interface Terminated {
  readonly exitCode: number;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** What a kubelet says of one container. */
export interface ContainerStatus {
  readonly name: string;
  readonly image?: string;
  readonly ready?: boolean;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly running?: object;
    readonly terminated?: Terminated;
  };
  readonly lastState?: { readonly terminated?: Terminated };
}

interface PodSpec {
  readonly containers?: readonly { readonly name: string; readonly image?: string }[];
}

interface PodCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

interface PodStatus {
  readonly phase?: string;
  readonly conditions?: readonly PodCondition[];
  readonly reason?: string;
  readonly message?: string;
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly containerStatuses?: readonly ContainerStatus[];
}

export type Pod = TypedObject<PodSpec, PodStatus>;

/** The object as a Pod: what the API hands out under that kind has its shape. */
export const asPod = (object: KubeObject): Pod => object as Pod;

/** All containers in the order in which they run. */
export function containersOf({ status }: Pod): readonly ContainerStatus[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}

/** The condition of that type, when it holds. */
export function conditionOf({ status }: Pod, type: string): PodCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type && condition.status === 'True');
}
