import { isSlessError } from '../../errors.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { everything } from '../../ports/everything.ts';
import { KINDS } from '../../resources/kube/kinds.ts';
import { controllerOf, type KubeObject } from '../../resources/kube/object.ts';
import { formatTime, parseTime } from '../../resources/kube/time.ts';
import { asJob, isFinished } from '../job/job-spec.ts';
import type { CronJob } from './cron-job-spec.ts';
import { lastDue, type WallClock } from './wall-clock.ts';

const MINUTE_MS = 60_000;
/** Kubernetes looks no further back than 100 missed times. */
const FURTHEST_BACK_MS = 100 * MINUTE_MS;

/** The minute for which a run is due now and has not been begun, if there is one: of several that were missed, the last. */
export function dueMinute(
  { spec, status, metadata }: CronJob,
  clock: WallClock,
  now: number,
): number | undefined {
  if (spec.suspend === true) return undefined;
  const since = parseTime(status?.lastScheduleTime) ?? parseTime(metadata.creationTimestamp) ?? now;
  const deadlineMs = (spec.startingDeadlineSeconds ?? Number.POSITIVE_INFINITY) * 1000;
  const after = Math.max(since, now - deadlineMs, now - FURTHEST_BACK_MS);
  return lastDue(clock, { after, until: now });
}

/**
 * Begins a run as the CronJob controller does: by its policy beside, instead of or only without the run before, under a name that
 * carries its minute, so that no run is begun twice.
 */
export async function fire(cluster: Cluster, cronJob: CronJob, minute: number): Promise<void> {
  const { name, namespace = '' } = cronJob.metadata;
  const own = await jobsOf(cluster, cronJob);
  const wanted = jobOf(cronJob, minute);
  // A process that was killed may have begun this very run and not written down that it did.
  const active = own.filter((job) => !isFinished(asJob(job)) && job.metadata.name !== wanted.metadata.name);
  const { concurrencyPolicy } = cronJob.spec;
  // Tried again until the run before has ended or the starting deadline has passed.
  if (concurrencyPolicy === 'Forbid' && active.length > 0) return;
  if (concurrencyPolicy === 'Replace') for (const job of active) await remove(cluster, job);
  try {
    await cluster.create(wanted);
  } catch (error) {
    if (!isSlessError(error, 'AlreadyExists')) throw error;
  }
  await cluster.patch(
    { kind: KINDS.CronJob, namespace, name },
    { status: { lastScheduleTime: formatTime(minute) } },
    { subresource: 'status' },
  );
  await forget(cluster, cronJob, own);
}

/** By their owner: the labels of a CronJob are its own, and those of its Jobs are the template's. */
async function jobsOf(cluster: Cluster, { metadata, spec }: CronJob): Promise<readonly KubeObject[]> {
  const { namespace = '' } = metadata;
  const { labels = {} } = spec.jobTemplate.metadata ?? {};
  const jobs = await everything(cluster, { kind: KINDS.Job, namespace, labels });
  return jobs.filter((job) => controllerOf(job)?.uid === metadata.uid);
}

function jobOf({ apiVersion, kind, metadata, spec }: CronJob, minute: number): KubeObject {
  const { name, namespace = '', uid = '' } = metadata;
  const { metadata: given = {}, spec: jobSpec } = spec.jobTemplate;
  const owner = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
  return {
    apiVersion: KINDS.Job.apiVersion,
    kind: KINDS.Job.kind,
    metadata: {
      name: `${name}-${minute / MINUTE_MS}`,
      namespace,
      ...given,
      annotations: {
        ...given.annotations,
        'batch.kubernetes.io/cronjob-scheduled-timestamp': formatTime(minute),
      },
      ownerReferences: [owner],
    },
    spec: jobSpec,
  };
}

/** Of the runs that are over, the newest few stay, for whoever asks what became of them. */
async function forget(cluster: Cluster, { spec }: CronJob, jobs: readonly KubeObject[]): Promise<void> {
  const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = spec;
  const over = [...jobs].filter((job) => isFinished(asJob(job))).sort(newestFirst);
  const isGood = (job: KubeObject): boolean =>
    asJob(job).status?.conditions?.some(({ type }) => type === 'Complete') ?? false;
  const good = over.filter(isGood).slice(successfulJobsHistoryLimit);
  const bad = over.filter((job) => !isGood(job)).slice(failedJobsHistoryLimit);
  for (const job of [...good, ...bad]) await remove(cluster, job);
}

const newestFirst = ({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number =>
  (a.creationTimestamp ?? '') < (b.creationTimestamp ?? '') ? 1 : -1;

async function remove(cluster: Cluster, { metadata }: KubeObject): Promise<void> {
  const { name, namespace = '', uid } = metadata;
  await cluster
    .delete({ kind: KINDS.Job, namespace, name }, uid === undefined ? {} : { uid })
    .catch((error: unknown) => {
      if (!isSlessError(error, 'NotFound') && !isSlessError(error, 'Conflict')) throw error;
    });
}
