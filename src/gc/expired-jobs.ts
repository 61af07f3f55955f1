import { functionJobStatusSchema } from '../resources/function-job/schema.ts';
import type { KubeObject } from '../resources/kube/object.ts';

/**
 * The FunctionJobs whose last run ended longer ago than they asked to be kept. One that is to run once more, or that never
 * ran, has not ended. A hook cannot delete its own parent, so this is left to a visitor.
 *
 * @param now milliseconds since 1970
 */
export function expiredJobs(jobs: readonly KubeObject[], now: number): readonly KubeObject[] {
  return jobs.filter((job) => isExpired(job, now));
}

function isExpired(job: KubeObject, now: number): boolean {
  const spec = job.spec as
    | { readonly runID?: unknown; readonly ttlSecondsAfterFinished?: unknown }
    | undefined;
  const ttl = spec?.ttlSecondsAfterFinished;
  const status = functionJobStatusSchema.safeParse(job.status ?? {}).data;
  if (typeof ttl !== 'number' || status?.completionTime === undefined) return false;
  if (job.metadata.deletionTimestamp !== undefined) return false;
  const ended = status.phase === 'Succeeded' || status.phase === 'Failed';
  const isLast = (typeof spec?.runID === 'number' ? spec.runID : 0) <= (status.runID ?? 0);
  return ended && isLast && Date.parse(status.completionTime) + ttl * 1000 <= now;
}
