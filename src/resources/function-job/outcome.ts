import { z } from 'zod';
import { type ErrorCode, isErrorCode } from '../../errors.ts';
import { podOf } from '../function/build-outcome.ts';
import { observedConditions } from '../kube/conditions.ts';
import { ANNOTATIONS } from '../kube/labels.ts';
import { annotationOf, type KubeObject } from '../kube/object.ts';
import { parseReport, type Report } from '../kube/report.ts';
import { parseTime } from '../kube/time.ts';

/** When a run began and ended, and how many pods it took. */
export interface Course {
  readonly startTime?: string | undefined;
  readonly completionTime?: string | undefined;
  readonly attempts?: number | undefined;
}

/** How far the Job of a run is. */
export type Outcome =
  | {
      readonly state: 'running';
      readonly awaits: Awaited;
      readonly trouble?: Trouble | undefined;
      readonly course: Course;
    }
  | { readonly state: 'succeeded'; readonly result?: string | undefined; readonly course: Course }
  | {
      readonly state: 'failed';
      readonly reason: ErrorCode;
      readonly message: string;
      readonly course: Course;
    };

/** `report`: it is over, and what its pod said may still come. `pod`, `no pod`: no event announces whether one comes. */
export type Awaited = 'end' | 'report' | 'pod' | 'no pod';

export interface Trouble {
  readonly reason: ErrorCode;
  readonly message: string;
}

const jobStatus = z.object({
  startTime: z.string().optional(),
  completionTime: z.string().optional(),
  active: z.int().default(0),
  failed: z.int().default(0),
  succeeded: z.int().default(0),
  conditions: observedConditions,
});

type JobStatus = z.infer<typeof jobStatus>;
type JobCondition = JobStatus['conditions'][number];

const NOTHING: JobStatus = { active: 0, failed: 0, succeeded: 0, conditions: [] };

/** What a Job's status, and the reporter's word where there is one, say of a run. */
export function outcomeOf(job: KubeObject, now: number): Outcome {
  const status = jobStatus.safeParse(job.status ?? {}).data ?? NOTHING;
  const report = parseReport(annotationOf(job, ANNOTATIONS.report));
  const holds = (type: string) =>
    status.conditions.find((condition) => condition.type === type && condition.status === 'True');
  const complete = holds('Complete');
  const failed = holds('Failed');
  const ended = complete ?? failed;
  if (ended === undefined) return running(job, { status, report, now });
  const completionTime = status.completionTime ?? ended.lastTransitionTime;
  const course = { ...courseOf(status), completionTime };
  const isTold = complete === undefined ? tellsFailure(failed, report) : report?.exitCode === 0;
  if (!isTold && isRecent(completionTime, now))
    return { state: 'running', awaits: 'report', course: courseOf(status) };
  if (complete !== undefined)
    return { state: 'succeeded', result: report?.exitCode === 0 ? report.result : undefined, course };
  return { state: 'failed', ...failureOf(ended, report), course };
}

function courseOf({ startTime, active, failed, succeeded }: JobStatus): Course {
  const attempts = active + failed + succeeded;
  return { startTime, attempts: attempts === 0 ? undefined : attempts };
}

interface Facts {
  readonly status: JobStatus;
  readonly report: Report | undefined;
  readonly now: number;
}

function running(job: KubeObject, { status, report, now }: Facts): Outcome {
  const pod = podOf(job, now);
  const awaits = pod === 'there' ? 'end' : pod === 'awaited' ? 'pod' : 'no pod';
  return { state: 'running', awaits, trouble: troubleOf(report), course: courseOf(status) };
}

/** Why a pod does not begin, or the one before it failed. */
function troubleOf(report: Report | undefined): Trouble | undefined {
  if (report?.message === undefined || report.exitCode === 0) return undefined;
  return { reason: isErrorCode(report.reason) ? report.reason : 'FunctionError', message: report.message };
}

/** The reporter writes within a second; what it could not say so long after the end, it will not say. */
const REPORT_WAIT_SECONDS = 60;

function isRecent(completionTime: string | undefined, now: number): boolean {
  const ended = parseTime(completionTime);
  return ended !== undefined && now - ended < REPORT_WAIT_SECONDS * 1000;
}

const isTooLong = (condition: JobCondition | undefined): boolean => condition?.reason === 'DeadlineExceeded';

/** The pod of a run that took too long is deleted, so nothing more is waited for. */
function tellsFailure(condition: JobCondition | undefined, report: Report | undefined): boolean {
  return isTooLong(condition) || (report?.message !== undefined && report.exitCode !== 0);
}

function failureOf(condition: JobCondition, report: Report | undefined): Trouble {
  if (isTooLong(condition)) {
    const told =
      report?.reason === 'ImagePullFailed' || report?.reason === 'ContainerConfigInvalid'
        ? report
        : undefined;
    const message = told?.message ?? 'the run did not end within timeoutSeconds';
    return { reason: isErrorCode(told?.reason) ? told.reason : 'FunctionTimeout', message };
  }
  return troubleOf(report) ?? { reason: 'FunctionError', message: condition.message ?? 'the run failed' };
}
