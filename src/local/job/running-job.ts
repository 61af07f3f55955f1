import { isSlessError } from '../../errors.ts';
import { KINDS } from '../../resources/kube/kinds.ts';
import { formatTime } from '../../resources/kube/time.ts';
import { pause } from '../pod/readiness.ts';
import type { Job, JobStatus } from './job-spec.ts';
import {
  activeStatus,
  completeStatus,
  DEADLINE_EXCEEDED,
  type Failure,
  failedStatus,
  judgeFailure,
} from './job-status.ts';
import type { JobDeps, PodEnd, PodRunner } from './pod-run.ts';
import { createSinglePod } from './single-pod.ts';

/** Kubernetes waits 10 s before the second try and doubles; here a tenth of it, as nothing else is waiting for the registry. */
const FIRST_RETRY_MS = 1000;

/**
 * Carries out a Job to its end. Its deadline counts from now, not from a start before a crash; what an earlier process had begun of it
 * counts as failed where it must not be repeated. When `signal` is aborted (the Job is gone, or this process ends) nothing more is written.
 */
export async function runJob(
  deps: JobDeps,
  { job, runner }: { readonly job: Job; readonly runner: PodRunner },
  signal: AbortSignal,
): Promise<void> {
  const deadline = new AbortController();
  const seconds = job.spec.activeDeadlineSeconds;
  const timer =
    seconds === undefined ? undefined : setTimeout(() => deadline.abort('DeadlineExceeded'), seconds * 1000);
  const either = AbortSignal.any([signal, deadline.signal]);
  const startedAt = deps.clock.now();
  try {
    // What failed before a stop or a fault of this machine counts: retries are bounded over all of it.
    let failed = job.status?.failed ?? 0;
    let ended = await interrupted(deps, job, runner);
    for (;;) {
      await writeStatus(deps, job, activeStatus(startedAt, failed));
      ended ??= await runner.run(deps, { job, signal: either });
      if (signal.aborted) return;
      const now = deps.clock.now();
      if (ended.end === 'succeeded') return await finish(deps, job, completeStatus(startedAt, now));
      failed += 1;
      const verdict = ended.end === 'aborted' ? DEADLINE_EXCEEDED : judgeFailure(job, ended.failure, failed);
      if (verdict !== undefined)
        return await finish(deps, job, failedStatus(startedAt, failed, { ...verdict, now }));
      ended = undefined;
      await pause(FIRST_RETRY_MS * 2 ** (failed - 1), either);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** The end of a pod that an earlier process has taken with it. */
async function interrupted(deps: JobDeps, job: Job, runner: PodRunner): Promise<PodEnd | undefined> {
  const hasBegun = job.status?.active === 1 && (await runner.hasBegun?.(deps, job)) === true;
  if (!hasBegun) return undefined;
  const now = formatTime(deps.clock.now());
  const message = JSON.stringify({ error: 'sless was ended while this ran', code: 'FunctionError' });
  const terminated: Failure['terminated'] = {
    exitCode: 137,
    reason: 'Error',
    message,
    startedAt: job.status?.startTime ?? now,
    finishedAt: now,
  };
  return createSinglePod(deps, { job, signal: new AbortController().signal }).end(terminated);
}

const RETRY_MS = 1000;

/** What has run has run: if its end cannot be written down, that is tried again, and nothing else. */
async function finish(deps: JobDeps, job: Job, status: JobStatus): Promise<void> {
  for (;;) {
    try {
      return await writeStatus(deps, job, status);
    } catch (error) {
      if (isSlessError(error, 'NotFound')) throw error;
      deps.logger.error({ err: error, job: job.metadata.name }, 'the end of a Job could not be written yet');
      await pause(RETRY_MS, new AbortController().signal);
    }
  }
}

const NOTHING = { active: null, succeeded: null, failed: null, completionTime: null, conditions: null };

async function writeStatus({ cluster }: JobDeps, job: Job, status: JobStatus): Promise<void> {
  const { name, namespace = '' } = job.metadata;
  await cluster.patch(
    { kind: KINDS.Job, namespace, name },
    { status: { ...NOTHING, ...status } },
    { subresource: 'status' },
  );
}
