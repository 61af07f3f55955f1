import { KINDS } from '../../resources/kube/kinds.ts';
import { pause } from '../pod/readiness.ts';
import { type BuildPodDeps, runBuildPod } from './build-pod.ts';
import { buildRequest, type Job, type JobStatus } from './job-spec.ts';
import { activeStatus, completeStatus, DEADLINE_EXCEEDED, failedStatus, judgeFailure } from './job-status.ts';

/** Kubernetes waits 10 s before the second try and doubles; here a tenth of it, as nothing else is waiting for the registry. */
const FIRST_RETRY_MS = 1000;

/**
 * Carries out a build Job to its end, whatever an earlier process had done of it: the image's name and its digest depend
 * on the Job alone, so the outcome is the same image. Its deadline counts from now, not from a start before a crash.
 * When `signal` is aborted (the Job is gone, or this process ends) nothing more is written.
 */
export async function runJob(deps: BuildPodDeps, job: Job, signal: AbortSignal): Promise<void> {
  const request = buildRequest(job);
  if (request === undefined) return;
  const deadline = new AbortController();
  const seconds = job.spec.activeDeadlineSeconds;
  const timer =
    seconds === undefined ? undefined : setTimeout(() => deadline.abort('DeadlineExceeded'), seconds * 1000);
  const either = AbortSignal.any([signal, deadline.signal]);
  const startedAt = deps.clock.now();
  try {
    for (let failed = 0; ; ) {
      await writeStatus(deps, job, activeStatus(startedAt, failed));
      const end = await runBuildPod(deps, { job, request, signal: either });
      if (signal.aborted) return;
      const now = deps.clock.now();
      if (end.end === 'succeeded') return await writeStatus(deps, job, completeStatus(startedAt, now));
      failed += 1;
      const verdict = end.end === 'aborted' ? DEADLINE_EXCEEDED : judgeFailure(job, end.failure, failed);
      if (verdict !== undefined) {
        return await writeStatus(deps, job, failedStatus(startedAt, failed, { ...verdict, now }));
      }
      await pause(FIRST_RETRY_MS * 2 ** (failed - 1), either);
    }
  } finally {
    clearTimeout(timer);
  }
}

const NOTHING = { active: null, succeeded: null, failed: null, completionTime: null, conditions: null };

async function writeStatus({ cluster }: BuildPodDeps, job: Job, status: JobStatus): Promise<void> {
  const { name, namespace = '' } = job.metadata;
  await cluster.patch(
    { kind: KINDS.Job, namespace, name },
    { status: { ...NOTHING, ...status } },
    { subresource: 'status' },
  );
}
