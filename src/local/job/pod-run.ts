import type { BuildDeps } from '../build/builder.ts';
import type { PodDeps } from '../pod/pod-deps.ts';
import type { Job } from './job-spec.ts';
import type { Failure } from './job-status.ts';

/** What the pods of Jobs need of the machine. */
export type JobDeps = PodDeps & BuildDeps;

/** How a Job's pod ended: well, with a container that failed, or because it was told to. */
export type PodEnd =
  | { readonly end: 'succeeded' }
  | { readonly end: 'aborted' }
  | { readonly end: 'failed'; readonly failure: Failure };

export interface PodWork {
  readonly job: Job;
  /** Ends the pod; its reason, a text, becomes the pod's. */
  readonly signal: AbortSignal;
}

/** What carries out the pods of one kind of Job. */
export interface PodRunner {
  /** How many Jobs of the kind at once. */
  readonly atOnce: number;
  run(deps: JobDeps, work: PodWork): Promise<PodEnd>;
  /**
   * Whether code may have begun in a Job that an earlier process left unfinished: it then counts as failed, since it must not be begun
   * again. Without it a pod may be repeated at will.
   */
  hasBegun?(deps: JobDeps, job: Job): Promise<boolean>;
}
