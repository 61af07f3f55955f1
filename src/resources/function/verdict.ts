import { type ErrorCode, isErrorCode } from '../../errors.ts';
import { alteredMessage, notAppliedMessage } from '../kube/applied.ts';
import { ANNOTATIONS } from '../kube/labels.ts';
import { annotationOf } from '../kube/object.ts';
import { parseReport } from '../kube/report.ts';
import type { Accepted, Decision } from './decision.ts';
import type { Resolution } from './resolution.ts';
import type { Rollout } from './rollout.ts';
import type { FunctionPhase } from './schema.ts';

/** The one word about a Function, and why. */
export interface Verdict {
  readonly phase: FunctionPhase;
  readonly reason: ErrorCode | 'Ready' | 'Stopped';
  readonly message: string;
}

/** Everything that a verdict is found from; all of it observed. */
export interface Facts {
  readonly decision: Decision;
  readonly rollout: Rollout;
  /** Wanted children that are not there, such as `Deployment hello`. */
  readonly missing: readonly string[];
  /** Those that are there and not as they are wanted, such as `Deployment hello (env.GREETING)`. */
  readonly altered: readonly string[];
  /** Either has been so for so long that somebody must look. */
  readonly isLate: boolean;
}

type Judge = (facts: Facts) => Verdict | undefined;

/** In this order: what stands in the way first. */
const JUDGES: readonly Judge[] = [
  refusal,
  childNotApplied,
  noCode,
  buildFailed,
  building,
  rolloutFailed,
  childAltered,
  applying,
  deploying,
];

/** The verdict on a Function. */
export function judge(facts: Facts): Verdict {
  for (const judgeOne of JUDGES) {
    const verdict = judgeOne(facts);
    if (verdict !== undefined) return verdict;
  }
  return serving(facts);
}

function refusal({ decision }: Facts): Verdict | undefined {
  if (decision.refusal === undefined) return undefined;
  return { phase: 'Failed', ...decision.refusal };
}

/** But not a build that waits for its Job: a quota lets it through by and by, as it does the pods of one. */
function childNotApplied(facts: Facts): Verdict | undefined {
  const { missing, isLate } = facts;
  if (!isLate || missing.length === 0 || awaitsItsJob(facts)) return undefined;
  const message = notAppliedMessage(missing, 'Function');
  return { phase: 'Failed', reason: 'ChildNotApplied', message };
}

/** Whether the Job of the build is all that is missing. */
function awaitsItsJob({ decision, missing }: Facts): boolean {
  const resolution = resolutionOf(decision);
  return resolution?.state === 'building' && missing.join() === `Job ${resolution.build.job}`;
}

const resolutionOf = (decision: Decision): Resolution | undefined =>
  decision.refusal === undefined ? decision.resolution : undefined;

function noCode({ decision }: Facts): Verdict | undefined {
  if (resolutionOf(decision)?.state !== 'absent') return undefined;
  return { phase: 'Pending', reason: 'AwaitingCode', message: 'no code yet: upload a zip' };
}

function buildFailed({ decision }: Facts): Verdict | undefined {
  const resolution = resolutionOf(decision);
  if (resolution?.state !== 'failed') return undefined;
  return { phase: 'Failed', reason: resolution.reason, message: resolution.message };
}

function building(facts: Facts): Verdict | undefined {
  const resolution = resolutionOf(facts.decision);
  if (resolution?.state !== 'building') return undefined;
  const { job } = resolution.build;
  if (resolution.awaits === 'digest')
    return { phase: 'Building', reason: 'Building', message: `${job} is done; waiting for its digest` };
  if (resolution.awaits === 'no pod') {
    const message = `Job ${job} has no pod: see the events of that Job; a quota or a rule of the cluster refuses it`;
    return { phase: 'Building', reason: 'ChildNotApplied', message };
  }
  if (facts.isLate && awaitsItsJob(facts))
    return {
      phase: 'Building',
      reason: 'ChildNotApplied',
      message: notAppliedMessage(facts.missing, 'Function'),
    };
  if (resolution.job === undefined)
    return { phase: 'Building', reason: 'Building', message: `${job} is about to start` };
  // What its pod waits for, or why the pod before failed that is tried again.
  const told = parseReport(annotationOf(resolution.job, ANNOTATIONS.report));
  const reason = isErrorCode(told?.reason) ? told.reason : 'Building';
  const running = `${job} is running`;
  return {
    phase: 'Building',
    reason,
    message: told?.message === undefined ? running : `${running}, but not well: ${told.message}`,
  };
}

function rolloutFailed({ rollout }: Facts): Verdict | undefined {
  if (rollout.state !== 'failed') return undefined;
  const told = rollout.trouble;
  const message = `the pods did not become ready in time: ${rollout.available} of ${rollout.wanted} are available`;
  return {
    phase: 'Failed',
    reason: told?.reason ?? 'ProgressDeadlineExceeded',
    message: told?.message ?? message,
  };
}

/** What is built does not reach the pods, and nothing that is under way will change that. */
function childAltered({ altered, isLate }: Facts): Verdict | undefined {
  if (!isLate || altered.length === 0) return undefined;
  return { phase: 'Failed', reason: 'ChildNotApplied', message: alteredMessage(altered, 'Function') };
}

/** Without its Service a function takes no calls, be all of its pods ready. */
function applying({ missing }: Facts): Verdict | undefined {
  if (missing.length === 0) return undefined;
  return { phase: 'Deploying', reason: 'Deploying', message: `waiting for ${missing.join(', ')}` };
}

function deploying({ rollout }: Facts): Verdict | undefined {
  if (rollout.state === 'complete') return undefined;
  const told = rollout.trouble;
  if (told !== undefined) return { phase: 'Deploying', reason: told.reason, message: told.message };
  const message =
    rollout.state === 'pending'
      ? 'the Deployment is about to change'
      : `waiting for ${rollout.wanted === 1 ? 'its pod' : `${rollout.wanted} pods`} to be ready`;
  return { phase: 'Deploying', reason: 'Deploying', message };
}

function serving({ decision, rollout }: Facts): Verdict {
  if (rollout.wanted === 0)
    return { phase: 'Ready', reason: 'Stopped', message: 'stopped: no pods are wanted' };
  const isKeyGone = decision.refusal === undefined && (decision as Accepted).spec.s3Key === undefined;
  const message = isKeyGone ? 'ready; spec.s3Key is empty, so the last good version serves' : 'ready';
  return { phase: 'Ready', reason: 'Ready', message };
}
