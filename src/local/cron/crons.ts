import { isSlessError } from '../../errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Cluster, ClusterEvent } from '../../ports/cluster.ts';
import type { Logger } from '../../ports/logger.ts';
import { KINDS } from '../../resources/kube/kinds.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { asCronJob, type CronJob } from './cron-job-spec.ts';
import { dueMinute, fire } from './firing.ts';
import { type WallClock, wallClock } from './wall-clock.ts';

/** Everything that is done for CronJobs. */
export interface Crons {
  stop(): Promise<void>;
}

export interface CronDeps {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How late a run may begin, and how soon one that was held back by the run before begins after that. */
const TICK_MS = 1000;

interface Known {
  cronJob: CronJob;
  readonly clock: WallClock;
}

/** Stands in for the CronJob controller. What it knows of a run stands in the cluster alone, so a restart begins none twice. */
export function runCrons(deps: CronDeps, tickMs: number = TICK_MS): Crons {
  const known = new Map<string, Known>();
  let ticking: Promise<void> | undefined;
  const apply = (object: KubeObject): void => {
    const key = keyOf(object);
    try {
      known.set(key, knownOf(asCronJob(object), known.get(key)));
    } catch (error) {
      // Its own trouble: the others are kept all the same, and its old schedule is none any more.
      known.delete(key);
      deps.logger.warn({ err: error, cronJob: key }, 'a CronJob cannot be kept');
    }
  };
  const onEvent = (event: ClusterEvent): void => {
    if (event.type === 'applied') apply(event.object);
    if (event.type === 'deleted') known.delete(keyOf(event.object));
    if (event.type !== 'synced') return;
    known.clear();
    for (const object of event.objects) apply(object);
  };
  const watch = deps.cluster.watch({ kind: KINDS.CronJob }, onEvent);
  const timer = setInterval(() => {
    ticking ??= tick(deps, [...known.values()]).finally(() => {
      ticking = undefined;
    });
  }, tickMs);
  return {
    stop: async () => {
      clearInterval(timer);
      watch.close();
      await ticking;
    },
  };
}

/** Fails on a schedule or a zone that cannot be read. */
function knownOf(cronJob: CronJob, before: Known | undefined): Known {
  const { schedule, timeZone = 'UTC' } = cronJob.spec;
  const isSame =
    before?.cronJob.spec.schedule === schedule && (before.cronJob.spec.timeZone ?? 'UTC') === timeZone;
  return { cronJob, clock: isSame ? before.clock : wallClock(schedule, timeZone) };
}

async function tick({ cluster, clock, logger }: CronDeps, all: readonly Known[]): Promise<void> {
  for (const { cronJob, clock: wall } of all) {
    try {
      const minute = dueMinute(cronJob, wall, clock.now());
      if (minute !== undefined) await fire(cluster, cronJob, minute);
    } catch (error) {
      // Deleted meanwhile, or its namespace.
      if (isSlessError(error, 'NotFound')) continue;
      logger.warn({ err: error, cronJob: keyOf(cronJob) }, 'a run could not be begun yet');
    }
  }
}

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;
