import { z } from '@hono/zod-openapi';
import type { Cluster } from '../../../ports/cluster.ts';
import { everything } from '../../../ports/everything.ts';
import { KINDS, type Kind } from '../../../resources/kube/kinds.ts';
import { ANNOTATIONS, LABELS } from '../../../resources/kube/labels.ts';
import { annotationOf, controllerOf, type KubeObject } from '../../../resources/kube/object.ts';
import { parseReport } from '../../../resources/kube/report.ts';
import type { TriggerObject } from '../../../resources/trigger/schema.ts';

/** What the CronJob of a Trigger and its Jobs say of its runs: they are not mirrored into status, which would change with every tick. */
export interface CronRuns {
  /** When it last ran (RFC 3339, UTC). */
  readonly lastRun: string | undefined;
  /** Why the last run that ended failed, if it did. */
  readonly failure: string | undefined;
}

/** By the uid of the Trigger. */
export type CronRunsOf = ReadonlyMap<string, CronRuns>;

const NONE: CronRunsOf = new Map();

const cronJobStatus = z.object({ lastScheduleTime: z.string().optional() });
const jobStatus = z.object({
  startTime: z.string().default(''),
  conditions: z
    .array(z.object({ type: z.string(), status: z.string(), message: z.string().default('') }))
    .default([]),
});

/** The runs of those of these Triggers that are cron: two questions, however many there are, and none where there are none. */
export async function cronRunsOf(
  cluster: Cluster,
  namespace: string,
  triggers: readonly TriggerObject[],
): Promise<CronRunsOf> {
  const crons = triggers.filter(({ spec }) => spec.type === 'cron');
  if (crons.length === 0) return NONE;
  const [only, another] = crons;
  const labels = {
    [LABELS.component]: 'cron',
    ...(only !== undefined && another === undefined ? { [LABELS.trigger]: only.metadata.name } : {}),
  };
  const list = (kind: Kind) => everything(cluster, { kind, namespace, labels });
  const [cronJobs, jobs] = await Promise.all([list(KINDS.CronJob), list(KINDS.Job)]);
  return new Map(
    cronJobs.map((cronJob) => {
      const own = jobs.filter((job) => controllerOf(job)?.uid === cronJob.metadata.uid);
      const lastRun = cronJobStatus.safeParse(cronJob.status ?? {}).data?.lastScheduleTime;
      return [controllerOf(cronJob)?.uid ?? '', { lastRun, failure: lastFailure(own) }] as const;
    }),
  );
}

function lastFailure(jobs: readonly KubeObject[]): string | undefined {
  const ended = jobs.flatMap((job) => {
    const status = jobStatus.safeParse(job.status ?? {}).data;
    const over = status?.conditions.find(
      ({ type, status: holds }) => holds === 'True' && (type === 'Complete' || type === 'Failed'),
    );
    return status === undefined || over === undefined ? [] : [{ job, over, startTime: status.startTime }];
  });
  const last = ended.sort((a, b) => (a.startTime < b.startTime ? -1 : 1)).at(-1);
  if (last === undefined || last.over.type === 'Complete') return undefined;
  return parseReport(annotationOf(last.job, ANNOTATIONS.report))?.message ?? last.over.message;
}
