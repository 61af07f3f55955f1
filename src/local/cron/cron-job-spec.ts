import type { KubeObject, ObjectMeta, TypedObject } from '../../resources/kube/object.ts';

/** A CronJob's spec as far as local mode obeys it. */
export interface CronJobSpec {
  readonly schedule: string;
  readonly timeZone?: string;
  readonly suspend?: boolean;
  readonly concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace';
  readonly startingDeadlineSeconds?: number;
  readonly successfulJobsHistoryLimit?: number;
  readonly failedJobsHistoryLimit?: number;
  readonly jobTemplate: {
    readonly metadata?: Partial<Pick<ObjectMeta, 'labels' | 'annotations'>>;
    readonly spec: object;
  };
}

export interface CronJobStatus {
  readonly lastScheduleTime?: string;
}

export type CronJob = TypedObject<CronJobSpec, CronJobStatus>;

/** The object as a CronJob: what the cluster hands out under that kind has its shape. */
export const asCronJob = (object: KubeObject): CronJob => object as CronJob;
