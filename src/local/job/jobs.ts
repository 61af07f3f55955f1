import { isSlessError } from '../../errors.ts';
import type { ClusterEvent } from '../../ports/cluster.ts';
import { KINDS } from '../../resources/kube/kinds.ts';
import { LABELS } from '../../resources/kube/labels.ts';
import { type KubeObject, labelOf } from '../../resources/kube/object.ts';
import { pause } from '../pod/readiness.ts';
import { buildPods } from './build-pod.ts';
import { callPods } from './call-pod.ts';
import { asJob, buildRequest, isFinished, type Job } from './job-spec.ts';
import { oncePods } from './once-pod.ts';
import type { JobDeps, PodRunner } from './pod-run.ts';
import { runJob } from './running-job.ts';

/** Everything that is done for Jobs. */
export interface Jobs {
  /** Ends all work at once. The Jobs stay unfinished: the next start carries them on. */
  stop(): Promise<void>;
}

/** By the label `sless.dev/component`. */
const RUNNERS: Readonly<Record<string, PodRunner>> = { build: buildPods, job: oncePods, cron: callPods };

interface Work {
  readonly job: Job;
  readonly runner: PodRunner;
  readonly abort: AbortController;
  done: Promise<void> | undefined;
}

const RETRY_MS = 1000;

/** Tries again what this machine itself got in the way of. */
async function carryOut(deps: JobDeps, { job, runner, abort }: Work): Promise<void> {
  const { namespace = '', name, uid } = job.metadata;
  while (!abort.signal.aborted) {
    try {
      // As it is now: the one that was seen knows nothing of what failed since.
      const current = await deps.cluster.get({ kind: KINDS.Job, namespace, name });
      if (current === undefined || current.metadata.uid !== uid || isFinished(asJob(current))) return;
      return await runJob(deps, { job: asJob(current), runner }, abort.signal);
    } catch (error) {
      if (isSlessError(error, 'NotFound')) return; // deleted meanwhile
      deps.logger.error({ err: error, job: job.metadata.name }, 'a Job is held up');
      await pause(RETRY_MS, abort.signal);
    }
  }
}

/** Stands in for the Job controller and the kubelet: carries out every Job of ours in the cluster, oldest first, some of each kind at once. */
export function runJobs(deps: JobDeps): Jobs {
  const { cluster } = deps;
  const works = new Map<string, Work>();
  /** Events lag behind: one from before the end of a Job must not begin it again. */
  const over = new Set<string>();
  let stopped = false;

  const finish = (uid: string): void => {
    over.add(uid);
    works.delete(uid);
    startNext();
  };
  const startNext = (): void => {
    const running = [...works.values()].filter(({ done }) => done !== undefined);
    const hasPlace = ({ runner }: Work): boolean =>
      running.filter((work) => work.runner === runner).length < runner.atOnce;
    const next = [...works].find(([, work]) => work.done === undefined && hasPlace(work));
    if (stopped || next === undefined) return;
    const [uid, work] = next;
    work.done = carryOut(deps, work).finally(() => finish(uid));
    startNext();
  };
  const apply = (object: KubeObject): void => {
    const job = asJob(object);
    const { uid = '' } = object.metadata;
    const runner = RUNNERS[labelOf(job, LABELS.component) ?? ''];
    if (runner === undefined || works.has(uid) || over.has(uid) || isFinished(job)) return;
    if (runner === buildPods && buildRequest(job) === undefined) return;
    works.set(uid, { job, runner, abort: new AbortController(), done: undefined });
    startNext();
  };
  const drop = (uid: string): void => {
    over.delete(uid);
    const work = works.get(uid);
    work?.abort.abort('the Job was deleted');
    if (work?.done === undefined) works.delete(uid);
  };
  const onEvent = (event: ClusterEvent): void => {
    if (event.type === 'applied') apply(event.object);
    if (event.type === 'deleted') drop(event.object.metadata.uid ?? '');
    if (event.type !== 'synced') return;
    const uids = new Set(event.objects.map(({ metadata }) => metadata.uid));
    for (const uid of works.keys()) if (!uids.has(uid)) drop(uid);
    for (const object of event.objects) apply(object);
  };
  const watch = cluster.watch({ kind: KINDS.Job, labels: { [LABELS.managedBy]: 'sless' } }, onEvent);
  return {
    stop: async () => {
      stopped = true;
      watch.close();
      for (const { abort } of works.values()) abort.abort('sless was stopped');
      await Promise.all([...works.values()].map(({ done }) => done));
    },
  };
}
