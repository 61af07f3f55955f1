import type { KubeObject } from '../kube/object.ts';
import { type Build, readBuild } from './build.ts';
import { buildOutcome } from './build-outcome.ts';
import type { Observed } from './observed.ts';
import { fromHistory, statusVersion } from './version.ts';

/** Jobs that are there though nobody wants what they build any more. */
export interface Abandoned {
  /** Those that are kept until status is observed to say that they go. */
  readonly kept: readonly Build[];
  /** The uids of all that are to go, or went and are still seen; sorted. What status says. */
  readonly uids: readonly string[];
}

/**
 * A Job is dropped in two steps: status says first that it goes, and only a sync that observes this leaves it out. Otherwise somebody who
 * comes back to its key could meet a Job that is gone beside a status that counts on it, or one that the cache still shows; and a Job that
 * is gone without our doing is lost. One step is enough where status knows already what the Job came to.
 */
export function abandonedJobs(observed: Observed, isWanted: (job: KubeObject) => boolean): Abandoned {
  const unwanted = observed.jobs.filter((job) => !isWanted(job) && !isRecorded(observed, job));
  const revived = observed.jobs.filter(
    (job) => isWanted(job) && isGoing(observed, job) && buildOutcome(job).state === 'running',
  );
  return {
    kept: unwanted.filter((job) => !isGoing(observed, job)).flatMap((job) => readBuild(job) ?? []),
    uids: [...unwanted, ...revived].flatMap(({ metadata }) => metadata.uid ?? []).sort(),
  };
}

function isRecorded({ status }: Observed, job: KubeObject): boolean {
  if (status.build?.uid === job.metadata.uid && status.build?.reason !== undefined) return true;
  const build = readBuild(job);
  const versions = [statusVersion(status), ...(status.history ?? []).map(fromHistory)];
  return versions.some(
    (version) =>
      build !== undefined &&
      version?.key === build.key &&
      version.runtimeImage === build.runtimeImage &&
      version.rebuild === build.rebuild,
  );
}

/** Whether status says of a Job that it goes: it may be gone already, whatever is seen of it. */
export function isGoing({ status }: Observed, { metadata }: KubeObject): boolean {
  return metadata.uid !== undefined && (status.droppedJobs ?? []).includes(metadata.uid);
}
