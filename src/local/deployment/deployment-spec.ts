import type { KubeObject, TypedObject } from '../../resources/kube/object.ts';
import type { PodTemplate } from '../pod/pod-spec.ts';

/** A Deployment's spec as far as local mode obeys it; the cluster has filled in all defaults. */
export interface DeploymentSpec {
  readonly replicas: number;
  readonly template: PodTemplate;
  readonly progressDeadlineSeconds: number;
  readonly strategy: {
    readonly rollingUpdate?: { readonly maxSurge: number | string; readonly maxUnavailable: number | string };
  };
}

interface DeploymentCondition {
  readonly type: 'Available' | 'Progressing' | 'ReplicaFailure';
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
  readonly lastUpdateTime: string;
  readonly lastTransitionTime: string;
}

export interface DeploymentStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly conditions?: readonly DeploymentCondition[];
}

export type Deployment = TypedObject<DeploymentSpec, DeploymentStatus>;

/** The object as a Deployment: what the cluster hands out under that kind has its shape. */
export const asDeployment = (object: KubeObject): Deployment => object as Deployment;
