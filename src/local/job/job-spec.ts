import { ANNOTATIONS } from '../../resources/kube/labels.ts';
import type { KubeObject, TypedObject } from '../../resources/kube/object.ts';
import type { BuildRequest } from '../build/builder.ts';
import type { PodTemplate } from '../pod/pod-spec.ts';

/** A rule of a failure policy, as far as a build's containers can meet it. */
export interface FailureRule {
  readonly action: string;
  readonly onExitCodes?: {
    readonly containerName?: string;
    readonly operator: 'In' | 'NotIn';
    readonly values: readonly number[];
  };
}

/** A Job's spec as far as local mode obeys it. */
export interface JobSpec {
  readonly activeDeadlineSeconds?: number;
  readonly backoffLimit: number;
  readonly podFailurePolicy?: { readonly rules: readonly FailureRule[] };
  readonly template: PodTemplate;
}

export interface JobCondition {
  readonly type: 'SuccessCriteriaMet' | 'Complete' | 'FailureTarget' | 'Failed';
  readonly status: 'True';
  readonly reason: string;
  readonly message: string;
  readonly lastProbeTime: string;
  readonly lastTransitionTime: string;
}

export interface JobStatus {
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly active?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly conditions?: readonly JobCondition[];
}

export type Job = TypedObject<JobSpec, JobStatus>;

/** The object as a Job: what the cluster hands out under that kind has its shape. */
export const asJob = (object: KubeObject): Job => object as Job;

/** Whether a Job is over, one way or the other. */
export function isFinished({ status }: Job): boolean {
  return status?.conditions?.some(({ type }) => type === 'Complete' || type === 'Failed') ?? false;
}

/** What a build Job asks for; `undefined` for a Job that is none. */
export function buildRequest({ metadata }: Job): BuildRequest | undefined {
  const { annotations = {} } = metadata;
  const image = annotations[ANNOTATIONS.image];
  const key = annotations[ANNOTATIONS.builtKey];
  const runtimeImage = annotations[ANNOTATIONS.runtimeImage];
  const strategy = annotations[ANNOTATIONS.strategy];
  if (image === undefined || key === undefined || runtimeImage === undefined || strategy === undefined) {
    return undefined;
  }
  return { image, key, runtimeImage, strategy, rebuild: annotations[ANNOTATIONS.rebuild] };
}
