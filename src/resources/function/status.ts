import { appliedCondition, isMissingTooLong } from '../kube/applied.ts';
import type { CallLimits } from '../kube/call-limits.ts';
import { withoutUndefined } from '../kube/canonical.ts';
import { nextConditions, type WantedCondition } from '../kube/conditions.ts';
import { formatTime } from '../kube/time.ts';
import type { Decision } from './decision.ts';
import type { Observed } from './observed.ts';
import type { Resolution } from './resolution.ts';
import type { Rollout } from './rollout.ts';
import type { FunctionStatus } from './schema.ts';
import { judge, type Verdict } from './verdict.ts';
import { type Version, withVersions } from './version.ts';

/** Wanted children that are not observed as they are wanted. */
export interface Unapplied {
  /** Such as `Deployment hello`. */
  readonly missing: readonly string[];
  /** With their parts, such as `Deployment hello (env.GREETING)`. */
  readonly altered: readonly string[];
}

interface StatusFacts {
  readonly observed: Observed;
  readonly decision: Decision;
  readonly rollout: Rollout;
  readonly unapplied: Unapplied;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The whole status of a Function, from what is observed. */
export function functionStatus(facts: StatusFacts): FunctionStatus {
  const { observed, decision, rollout, now } = facts;
  const { missing, altered } = facts.unapplied;
  const previous = observed.status.conditions ?? [];
  const isLate = isMissingTooLong([...missing, ...altered], { previous, now });
  const verdict = judge({ decision, rollout, ...facts.unapplied, isLate });
  const version = versionOf(observed, decision);
  const conditions = nextConditions(
    [...appliedCondition(missing, isLate, altered), ...wantedConditions(facts, verdict, version)],
    {
      previous,
      generation: observed.parent.metadata.generation,
      now: formatTime(now),
    },
  );
  const serving = servingOf(facts);
  const history = withVersions(observed.status.history ?? [], { version, serving });
  return withoutUndefined({
    phase: verdict.phase,
    message: verdict.message,
    image: version?.image,
    builtKey: version?.key,
    runtimeImage: version?.runtimeImage,
    lastBuiltAt: version?.builtAt === '' ? undefined : version?.builtAt,
    builtRebuild: version?.rebuild,
    rebuild: observed.rebuild,
    restart: observed.restart,
    build: nextBuild(observed, decision),
    droppedJobs: decision.abandoned.uids.length === 0 ? undefined : [...decision.abandoned.uids],
    history: history.length === 0 ? undefined : history,
    serving,
    ...limitsOf(facts),
    replicas: decision.server?.replicas,
    readyReplicas: observed.deployment === undefined ? undefined : rollout.ready,
    conditions,
  });
}

function versionOf(observed: Observed, decision: Decision): Version | undefined {
  const resolution = decision.refusal === undefined ? decision.resolution : undefined;
  return resolution?.state === 'built' ? resolution.version : observed.current;
}

/** While no pod of the wanted version takes calls, those of the one before do, or nothing does: either way it stays. */
function servingOf({ observed, decision, rollout }: StatusFacts): FunctionStatus['serving'] {
  const version = rollout.takesCalls ? decision.server?.version : undefined;
  return version === undefined ? observed.status.serving : { key: version.key, image: version.image };
}

/**
 * The most that any pod was given. Until the rollout is complete pods of the version before may take calls, and a limit of
 * the new one must not reach them; a larger one does no harm, since each pod holds to its own.
 */
function limitsOf({ observed, decision, rollout }: StatusFacts): Partial<CallLimits> {
  const { server } = decision;
  if (server === undefined) return {};
  const { timeoutSeconds, concurrency } = server;
  if (rollout.state === 'complete') return { timeoutSeconds, concurrency };
  const { status } = observed;
  return {
    timeoutSeconds: Math.max(timeoutSeconds, status.timeoutSeconds ?? 0),
    concurrency: Math.max(concurrency, status.concurrency ?? 0),
  };
}

function wantedConditions(
  facts: StatusFacts,
  verdict: Verdict,
  version: Version | undefined,
): WantedCondition[] {
  const { reason, message } = verdict;
  const isReady = verdict.phase === 'Ready';
  const isMoving = verdict.phase === 'Building' || verdict.phase === 'Deploying';
  return [
    available(facts, verdict),
    built(facts.decision, verdict, version),
    { type: 'Ready', status: isReady ? 'True' : 'False', reason, message },
    // kstatus: these two are there only while they hold.
    ...(isMoving ? [{ type: 'Reconciling', status: 'True' as const, reason, message }] : []),
    ...(verdict.phase === 'Failed' ? [{ type: 'Stalled', status: 'True' as const, reason, message }] : []),
  ];
}

function available({ rollout }: StatusFacts, verdict: Verdict): WantedCondition {
  if (rollout.available > 0) {
    return { type: 'Available', status: 'True', reason: 'Available', message: 'pods take calls' };
  }
  return { type: 'Available', status: 'False', reason: verdict.reason, message: 'no pod takes calls' };
}

function built(decision: Decision, verdict: Verdict, version: Version | undefined): WantedCondition {
  const isBuilt =
    decision.refusal === undefined ? decision.resolution.state === 'built' : version !== undefined;
  if (isBuilt && version !== undefined) {
    return { type: 'Built', status: 'True', reason: 'Built', message: version.key };
  }
  return { type: 'Built', status: 'False', reason: verdict.reason, message: verdict.message };
}

/** The build that runs or ended last; its Job's uid as soon as one was seen, so that a lost Job is noticed. */
function nextBuild(observed: Observed, decision: Decision): FunctionStatus['build'] {
  const begun = observed.status.build;
  if (decision.refusal !== undefined) return begun;
  const { resolution } = decision;
  if (resolution.state === 'absent' || resolution.build === undefined) return settled(begun, resolution);
  const { key, rebuild, runtimeImage, job } = resolution.build;
  const uid = resolution.job?.metadata.uid ?? (begun?.job === job ? begun.uid : undefined);
  const failure =
    resolution.state === 'failed' ? { reason: resolution.reason, message: resolution.message } : undefined;
  return {
    key,
    ...withoutUndefined({ rebuild, runtimeImage }),
    job,
    ...withoutUndefined({ uid, ...failure }),
  };
}

/** Once something else is wanted, the Job of the build before is dropped by us, so coming back to it is a new build and not a loss. */
function settled(begun: FunctionStatus['build'], resolution: Resolution): FunctionStatus['build'] {
  if (begun === undefined) return undefined;
  const { key, rebuild, runtimeImage, job, uid } = begun;
  const isOwnSuccess =
    resolution.state === 'built' &&
    resolution.version.key === key &&
    resolution.version.rebuild === rebuild &&
    resolution.version.runtimeImage === runtimeImage;
  return {
    key,
    ...withoutUndefined({ rebuild, runtimeImage }),
    job,
    ...withoutUndefined({ uid: isOwnSuccess ? uid : undefined }),
  };
}
