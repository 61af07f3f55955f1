import type { KubeObject } from '../kube/object.ts';
import type { Refusal } from '../kube/refusal.ts';
import { type Abandoned, abandonedJobs } from './abandoned.ts';
import { accept } from './acceptance.ts';
import { type Build, readBuild } from './build.ts';
import { readServer } from './deployed-server.ts';
import { isStopped, type Observed } from './observed.ts';
import { type Resolution, resolveVersion } from './resolution.ts';
import type { FunctionSpec } from './schema.ts';
import { type Server, wantedServer } from './server.ts';
import type { FunctionSettings } from './settings.ts';

/** What shall be: the third beat of a sync. */
export type Decision = Refused | Accepted;

/** The spec cannot be acted on: what runs goes on running as it is. */
export interface Refused {
  readonly refusal: Refusal;
  readonly server: Server | undefined;
  readonly abandoned: Abandoned;
}

export interface Accepted {
  readonly refusal: undefined;
  readonly spec: FunctionSpec;
  readonly resolution: Resolution;
  readonly server: Server | undefined;
  /** The Jobs that shall be there, with those that are about to go. */
  readonly builds: readonly Build[];
  readonly abandoned: Abandoned;
}

/** Decides what a Function's children shall be. */
export function decide(observed: Observed, settings: FunctionSettings, now: number): Decision {
  const acceptance = accept(observed, settings);
  if ('refusal' in acceptance) return refused(observed, acceptance.refusal);
  const { spec } = acceptance;
  const resolution = resolveVersion({ observed, spec, settings, now });
  const server = serverFor(observed, spec, resolution, settings);
  const wanted = buildsFor(resolution);
  const abandoned = abandonedJobs(observed, ({ metadata }) =>
    wanted.some(({ job }) => job === metadata.name),
  );
  return { refusal: undefined, spec, resolution, server, builds: [...wanted, ...abandoned.kept], abandoned };
}

function refused(observed: Observed, refusal: Refusal): Refused {
  const abandoned = abandonedJobs(observed, () => true);
  return { refusal, server: readServer(observed.deployment), abandoned };
}

/**
 * A version serves with the configuration that it was deployed with until the next one is there: new settings go live with the code that
 * they were made for, and never meet the code before it. Only how many pods there are, and a restart, take effect at once.
 */
function serverFor(
  observed: Observed,
  spec: FunctionSpec,
  resolution: Resolution,
  settings: FunctionSettings,
): Server | undefined {
  const wanted = {
    parent: observed.parent,
    spec,
    stopped: isStopped(observed.triggers),
    restart: observed.restart,
  };
  if (resolution.state === 'built') return wantedServer({ ...wanted, version: resolution.version }, settings);
  const serving = readServer(observed.deployment);
  if (serving !== undefined) {
    return { ...serving, replicas: wanted.stopped ? 0 : spec.replicas, restart: observed.restart };
  }
  const version = observed.current;
  return version === undefined ? undefined : wantedServer({ ...wanted, version }, settings);
}

/**
 * The Jobs that are wanted. A complete one is wanted until status says what it brought, a failed one for its logs. One that exists is described by
 * itself: nothing about it can change any more.
 */
function buildsFor(resolution: Resolution): readonly Build[] {
  if (resolution.state === 'absent' || resolution.build === undefined) return [];
  const isGone = resolution.state === 'failed' && resolution.job === undefined;
  return isGone ? [] : [described(resolution.build, resolution.job)];
}

function described(build: Build, job: KubeObject | undefined): Build {
  return (job === undefined ? undefined : readBuild(job)) ?? build;
}
