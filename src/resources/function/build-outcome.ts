import { z } from 'zod';
import { ERRORS, type ErrorCode, isErrorCode } from '../../errors.ts';
import { observedConditions } from '../kube/conditions.ts';
import { ANNOTATIONS } from '../kube/labels.ts';
import { annotationOf, type KubeObject } from '../kube/object.ts';
import { parseReport, type Report } from '../kube/report.ts';
import { parseTime } from '../kube/time.ts';
import { BUILD_CONTAINERS } from './build-steps.ts';

/** How far a build Job is. */
export type BuildOutcome =
  | { readonly state: 'running' }
  | { readonly state: 'complete'; readonly completedAt: string; readonly digest: string | undefined }
  | { readonly state: 'failed'; readonly reason: ErrorCode; readonly message: string };

/** What is read of the status of a Job, batch/v1. */
const jobStatus = z.object({
  startTime: z.string().optional(),
  active: z.int().default(0),
  failed: z.int().default(0),
  succeeded: z.int().default(0),
  terminating: z.int().default(0),
  uncountedTerminatedPods: z.record(z.string(), z.array(z.string())).default({}),
  completionTime: z.string().default(''),
  conditions: observedConditions,
});

type JobCondition = z.infer<typeof jobStatus>['conditions'][number];

/** What a Job's status, and the reporter's word where there is one, say of a build. */
export function buildOutcome(job: KubeObject): BuildOutcome {
  const status = jobStatus.safeParse(job.status ?? {}).data;
  const report = parseReport(annotationOf(job, ANNOTATIONS.report));
  const holds = (type: string) =>
    status?.conditions.find((condition) => condition.type === type && condition.status === 'True');
  const { digest, finishedAt } = report ?? {};
  // The image is there. The Job's controller takes seconds to find that out, and what it says then changes nothing.
  if (digest !== undefined && finishedAt !== undefined)
    return { state: 'complete', completedAt: finishedAt, digest };
  const complete = holds('Complete');
  if (complete !== undefined) {
    return { state: 'complete', completedAt: status?.completionTime ?? '', digest };
  }
  const failed = holds('Failed');
  if (failed === undefined) return { state: 'running' };
  const neverRan = failed.reason === 'DeadlineExceeded' && report === undefined && status?.failed === 0;
  return neverRan ? NEVER_RAN : { state: 'failed', ...failure(failed, report) };
}

/** Its time counts from the Job's start, pod or not. */
const NEVER_RAN: BuildOutcome = Object.freeze({
  state: 'failed',
  reason: 'BuildTimedOut',
  message:
    'the build waited for its pod until its time was up: a quota or a rule of the cluster refused it, see the events of its Job; make room, then rebuild',
});

function failure(
  condition: JobCondition,
  report: Report | undefined,
): { reason: ErrorCode; message: string } {
  const told = report?.reason;
  // Nobody tries again what has failed, so a word that promises it is not believed.
  const reason = isErrorCode(told) && ERRORS[told].actor !== 'time' ? told : reasonOf(condition);
  const said = report?.message ?? (reason === 'BuildTimedOut' ? TOO_SLOW : condition.message);
  const message = [ADVICE[reason], said].filter(Boolean).join(': ');
  return { reason, message: message === '' ? 'the build failed' : message };
}

/** The deadline takes the pod away, mostly before anyone has asked it. */
const TOO_SLOW = 'the build took longer than buildTimeoutSeconds';

/** What passes by itself was tried again until the tries, or the time, were used up; from then on the user must act. */
const ADVICE: Readonly<Partial<Record<ErrorCode, string>>> = {
  RegistryUnavailable:
    'all tries are used up; once the registry can be reached, rebuild or upload again; the last try said',
  ImagePullFailed:
    'an image that the build needs cannot be pulled; once the administrator has put it there, rebuild or upload again; the last try said',
  SourceUnavailable:
    'all tries are used up; once the api and the object store can be reached, rebuild or upload again; the last try said',
};

/** SIGKILL, which in a container's life mostly means that it took more memory than it may. */
const KILLED = 137;

const REASON_OF_STEP: Readonly<Record<string, ErrorCode>> = {
  [BUILD_CONTAINERS.fetch]: 'SourceUnavailable',
  [BUILD_CONTAINERS.base]: 'RegistryUnavailable',
  [BUILD_CONTAINERS.push]: 'RegistryUnavailable',
};

function reasonOf(condition: JobCondition): ErrorCode {
  if (condition.reason === 'DeadlineExceeded') return 'BuildTimedOut';
  // The Job controller's own words for a rule of the failure policy; the only place where it names container and code.
  const match = /^Container (\S+) for pod \S+ failed with exit code (\d+)/.exec(condition.message ?? '');
  if (match === null) return 'BuildFailed';
  const [, container = '', exitCode] = match;
  if (Number(exitCode) === KILLED) return 'BuildOutOfMemory';
  return REASON_OF_STEP[container] ?? 'BuildFailed';
}

/** The image counts by tag when nobody told its digest so long after the build. */
export const DIGEST_WAIT_SECONDS = 60;

/** Whether the digest of a complete build may still come. */
export function awaitsDigest(outcome: BuildOutcome, now: number): boolean {
  if (outcome.state !== 'complete' || outcome.digest !== undefined) return false;
  const completedAt = parseTime(outcome.completedAt);
  return completedAt !== undefined && now - completedAt < DIGEST_WAIT_SECONDS * 1000;
}

/** A Job makes its pod as it starts. One without any so long after has been refused it: by a quota, or by a rule of the cluster. */
export const POD_WAIT_SECONDS = 60;

/** Whether a Job that was started has its pod: nobody but the events of the Job says why it has none. */
export function podOf(job: KubeObject, now: number): 'there' | 'awaited' | 'refused' {
  const status = jobStatus.safeParse(job.status ?? {}).data;
  const startedAt = parseTime(status?.startTime);
  if (status === undefined || startedAt === undefined) return 'there';
  const { active, failed, succeeded, terminating, uncountedTerminatedPods } = status;
  const isUncounted = Object.values(uncountedTerminatedPods).some((uids) => uids.length > 0);
  if (active + failed + succeeded + terminating > 0 || isUncounted) return 'there';
  return now - startedAt < POD_WAIT_SECONDS * 1000 ? 'awaited' : 'refused';
}
