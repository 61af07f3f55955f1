import { formatTime } from '../../resources/kube/time.ts';
import type { Terminated } from '../pod/pod-status.ts';
import type { FailureRule, Job, JobCondition, JobStatus } from './job-spec.ts';

/** A container of a build pod that failed. */
export interface Failure {
  readonly container: string;
  readonly pod: string;
  readonly terminated: Terminated;
}

/** Why a Job failed, in the words of Kubernetes' controller. */
export interface Verdict {
  readonly reason: 'PodFailurePolicy' | 'BackoffLimitExceeded' | 'DeadlineExceeded';
  readonly message: string;
}

export const DEADLINE_EXCEEDED: Verdict = {
  reason: 'DeadlineExceeded',
  message: 'Job was active longer than specified deadline',
};

/** What a failed pod means for its Job: the reason to give up, or nothing when another try is due. */
export function judgeFailure(job: Job, failure: Failure, failed: number): Verdict | undefined {
  const rules = job.spec.podFailurePolicy?.rules ?? [];
  const index = rules.findIndex((rule) => rule.action === 'FailJob' && matches(rule, failure));
  if (index >= 0) {
    const { container, pod, terminated } = failure;
    const who = `Container ${container} for pod ${job.metadata.namespace}/${pod}`;
    return {
      reason: 'PodFailurePolicy',
      message: `${who} failed with exit code ${terminated.exitCode} matching FailJob rule at index ${index}`,
    };
  }
  if (failed <= job.spec.backoffLimit) return undefined;
  return { reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
}

function matches({ onExitCodes }: FailureRule, { container, terminated }: Failure): boolean {
  if (onExitCodes === undefined) return false;
  const { containerName, operator, values } = onExitCodes;
  if (containerName !== undefined && containerName !== container) return false;
  return values.includes(terminated.exitCode) === (operator === 'In');
}

/** The status of a Job whose pod is at work. */
export function activeStatus(startedAt: number, failed: number): JobStatus {
  return { startTime: formatTime(startedAt), active: 1, ...(failed === 0 ? {} : { failed }) };
}

/** The status of a Job that succeeded. */
export function completeStatus(startedAt: number, now: number): JobStatus {
  const message = 'Reached expected number of succeeded pods';
  return {
    startTime: formatTime(startedAt),
    completionTime: formatTime(now),
    succeeded: 1,
    conditions: (['SuccessCriteriaMet', 'Complete'] as const).map((type) =>
      condition(type, { reason: 'CompletionsReached', message }, now),
    ),
  };
}

/** The status of a Job that failed for good. */
export function failedStatus(
  startedAt: number,
  failed: number,
  verdict: Verdict & { now: number },
): JobStatus {
  return {
    startTime: formatTime(startedAt),
    failed,
    conditions: (['FailureTarget', 'Failed'] as const).map((type) => condition(type, verdict, verdict.now)),
  };
}

function condition(
  type: JobCondition['type'],
  { reason, message }: { reason: string; message: string },
  now: number,
): JobCondition {
  const time = formatTime(now);
  return { type, status: 'True', reason, message, lastProbeTime: time, lastTransitionTime: time };
}
