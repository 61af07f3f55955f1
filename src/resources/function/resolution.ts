import { type ErrorCode, isErrorCode } from '../../errors.ts';
import type { KubeObject } from '../kube/object.ts';
import { isGoing } from './abandoned.ts';
import { type Build, planBuild } from './build.ts';
import { awaitsDigest, buildOutcome, podOf } from './build-outcome.ts';
import { byDigest, isSameRuntime, runtimeImage } from './image.ts';
import type { Observed } from './observed.ts';
import type { FunctionSpec, FunctionStatus, HistoryEntry } from './schema.ts';
import type { FunctionSettings } from './settings.ts';
import {
  deployedVersion,
  fromHistory,
  isForRuntime,
  meantOf,
  statusVersion,
  type Version,
} from './version.ts';

/** What a build waits for. But for its end, no event announces it. `no pod`: it has waited for its pod for too long. */
export type Awaited = 'end' | 'digest' | 'pod' | 'no pod';

/** Where the code that a spec asks for stands. `build` is the Job that is wanted, `job` what is observed of it. */
export type Resolution =
  | { readonly state: 'absent' }
  | { readonly state: 'built'; readonly version: Version; readonly build?: Build; readonly job?: KubeObject }
  | {
      readonly state: 'building';
      readonly build: Build;
      readonly job: KubeObject | undefined;
      readonly awaits: Awaited;
    }
  | {
      readonly state: 'failed';
      readonly reason: ErrorCode;
      readonly message: string;
      readonly build: Build;
      /** Absent when it is gone, or never was. */
      readonly job?: KubeObject;
    };

interface Question {
  readonly observed: Observed;
  readonly spec: FunctionSpec;
  readonly settings: FunctionSettings;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Finds the image for a spec's s3Key: what status knows (deployed, or a good build before: a rollback) needs no Job; then the Job of
 * this very input; then what the Deployment remembers when status was lost; and only then a new Job.
 */
export function resolveVersion(question: Question): Resolution {
  const { observed, spec, settings } = question;
  const key = spec.s3Key;
  const catalogue = runtimeImage(settings, runtimeOf(question));
  if (key === undefined) {
    return observed.current === undefined
      ? { state: 'absent' }
      : { state: 'built', version: observed.current };
  }
  const isWanted = (version: Version): boolean =>
    version.key === key && isForRuntime(version, catalogue) && !isRebuildRequested(observed, key);
  const answering = ({ image, runtimeImage: base, builtAt, rebuild }: Version): Resolution => ({
    state: 'built',
    version: { key, image, runtimeImage: base, builtAt, rebuild: observed.rebuild ?? rebuild },
  });

  const known = knownOf(observed).filter(isWanted);
  const meant = meantOf(known, observed.rebuild);
  if (meant !== undefined) return answering(meant);
  const build = plan(question, key, catalogue);
  const job = observed.jobs.find((candidate) => candidate.metadata.name === build.job);
  if (job !== undefined) return fromJob(question, build, job);
  const deployed = deployedVersion(observed.deployment);
  return deployed !== undefined && isWanted(deployed) ? answering(deployed) : withoutJob(question, build);
}

/** The good builds that status speaks of, the deployed one first. */
function knownOf({ status }: Observed): (Version & Pick<HistoryEntry, 'served'>)[] {
  const deployed = statusVersion(status);
  const history = (status.history ?? []).map((entry) => ({ ...fromHistory(entry), served: entry.served }));
  return deployed === undefined ? history : [deployed, ...history];
}

function runtimeOf({ spec, settings }: Question) {
  const runtime = settings.runtimes.get(spec.runtime);
  if (runtime === undefined)
    throw new Error(`the runtime ${spec.runtime} was accepted but is not in the catalogue`);
  return runtime;
}

/**
 * Another value of the rebuild annotation asks for one build of the key that it was set for. A request that was spent on
 * another key, and failed there, must not stand in the way of a rollback.
 */
function isRebuildRequested({ rebuild, current, status }: Observed, key: string): boolean {
  if (rebuild === undefined || current === undefined || rebuild === current.rebuild) return false;
  // After a rebuild that does not start, this is the way back to the build before it.
  if (status.history?.some((entry) => entry.key === key && entry.rebuild === rebuild)) return false;
  return !(status.build?.rebuild === rebuild && status.build.key !== key);
}

/** The build of a key. One that was begun keeps the runtime image that it began with, be there a newer one meanwhile. */
function plan({ observed, spec, settings }: Question, key: string, catalogue: string): Build {
  const { parent, rebuild, status } = observed;
  const planned = (base: string): Build =>
    planBuild({ parent, spec, key, rebuild, runtimeImage: base }, settings);
  const begun = status.build;
  const base = begun?.runtimeImage;
  if (base !== undefined && isSameRuntime(base, catalogue)) {
    const resumed = planned(base);
    if (resumed.job === begun?.job) return resumed;
  }
  return planned(catalogue);
}

function fromJob({ observed, now }: Question, build: Build, job: KubeObject): Resolution {
  const outcome = buildOutcome(job);
  // It may be gone already; should it be there after all, it will end in some way.
  if (outcome.state === 'running' && isGoing(observed, job))
    return { state: 'building', build, job: undefined, awaits: 'end' };
  if (outcome.state === 'failed') {
    return { state: 'failed', reason: outcome.reason, message: outcome.message, build, job };
  }
  if (outcome.state === 'running') return { state: 'building', build, job, awaits: awaitedOf(job, now) };
  if (awaitsDigest(outcome, now)) return { state: 'building', build, job, awaits: 'digest' };
  const { key, runtimeImage: base, rebuild } = build;
  const image = outcome.digest === undefined ? build.image : byDigest(build.image, outcome.digest);
  const version = { key, image, runtimeImage: base, builtAt: outcome.completedAt, rebuild };
  return { state: 'built', version, build, job };
}

function awaitedOf(job: KubeObject, now: number): Awaited {
  const pod = podOf(job, now);
  return pod === 'there' ? 'end' : pod === 'awaited' ? 'pod' : 'no pod';
}

/** A Job that was seen and is gone is never made again: nobody knows what it did. */
function withoutJob({ observed, settings }: Question, build: Build): Resolution {
  const begun = observed.status.build;
  if (begun?.uid !== undefined && begun.job === build.job) {
    return { state: 'failed', ...rememberedFailure(begun), build };
  }
  if (build.strategy === 'dockerfile' && settings.builder.kaniko === undefined) {
    const message =
      'this code has dependencies, or asks for build: dockerfile, or came without an upload that says that it has none (then set build: append); and this installation has no builder for them';
    return { state: 'failed', reason: 'BuilderUnavailable', message, build };
  }
  return { state: 'building', build, job: undefined, awaits: 'end' };
}

/** What status kept of a build whose Job is gone. It may be from a release that knew other words, or written by somebody. */
function rememberedFailure({ job, reason, message }: NonNullable<FunctionStatus['build']>): {
  reason: ErrorCode;
  message: string;
} {
  if (reason === undefined) {
    const lost = `the build Job ${job} is gone before its end was seen; rebuild, or upload again`;
    return { reason: 'BuildLost', message: lost };
  }
  return { reason: isErrorCode(reason) ? reason : 'BuildFailed', message: message ?? 'the build failed' };
}
