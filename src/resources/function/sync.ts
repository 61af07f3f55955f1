import { missingChildren } from '../kube/applied.ts';
import type { SyncRequest, SyncResponse } from '../kube/hook.ts';
import { asObserved } from '../kube/kept.ts';
import type { KubeObject } from '../kube/object.ts';
import type { Refusal } from '../kube/refusal.ts';
import { alteredChildren } from './altered.ts';
import { buildJob } from './build-job.ts';
import { type Decision, decide } from './decision.ts';
import { buildDeployment } from './deployment.ts';
import { type Observed, observe } from './observed.ts';
import { readRollout } from './rollout.ts';
import { buildService } from './service.ts';
import type { FunctionSettings } from './settings.ts';
import { functionStatus, type Unapplied } from './status.ts';

/** How soon to look again while something is awaited that no event announces. */
const RESYNC_SECONDS = 5;

/**
 * The sync hook of a Function: what is observed in, status and wanted children out. Pure; the same input gives the same bytes.
 *
 * @param now milliseconds since 1970
 */
export function syncFunction(request: SyncRequest, settings: FunctionSettings, now: number): SyncResponse {
  const observed = observe(request);
  const decision = decide(observed, settings, now);
  const rollout = readRollout(observed.deployment, decision.server);
  const children = wantedChildren(observed, decision, settings);
  const unapplied = unappliedOf(observed, decision, children);
  const status = functionStatus({ observed, decision, rollout, unapplied, now });
  const isWaiting =
    unapplied.missing.length + unapplied.altered.length > 0 ||
    awaitsUnannounced(decision) ||
    awaitsStatus(decision);
  return { status, children, ...(isWaiting ? { resyncAfterSeconds: RESYNC_SECONDS } : {}) };
}

/** Where the spec is refused nothing is wanted but what is there. */
function unappliedOf(observed: Observed, decision: Decision, children: readonly KubeObject[]): Unapplied {
  if (decision.refusal !== undefined) return { missing: [], altered: [] };
  return {
    missing: missingChildren(children, observed.children),
    altered: alteredChildren(observed.deployment, decision.server),
  };
}

const awaitsUnannounced = (decision: Decision): boolean =>
  decision.refusal === undefined &&
  decision.resolution.state === 'building' &&
  decision.resolution.awaits !== 'end';

/** A Job goes once status is observed to hold what it brought, or that it goes; and that change of status wakes nobody. */
const awaitsStatus = (decision: Decision): boolean =>
  decision.refusal === undefined &&
  (decision.abandoned.kept.length > 0 ||
    (decision.resolution.state === 'built' && decision.resolution.job !== undefined));

function wantedChildren(observed: Observed, decision: Decision, settings: FunctionSettings): KubeObject[] {
  if (decision.refusal !== undefined) return asTheyAre(observed, decision.refusal);
  const { server, builds } = decision;
  const jobs = builds.map((build) => buildJob(build, settings));
  if (server !== undefined) return [buildDeployment(server, settings), buildService(server), ...jobs];
  return [...unreadable(observed), ...jobs];
}

/**
 * On a spec that cannot be used everything stays. Made from what is read of it, it would be rewritten by the next release or another setting,
 * and what cannot be read would go. But a Service that is gone comes back, unless nothing may be made here.
 */
function asTheyAre(observed: Observed, { reason }: Refusal): KubeObject[] {
  const { children, deployment, service } = observed;
  const kept = children.map(asObserved);
  if (deployment === undefined || service !== undefined || reason === 'NamespaceNotEnabled') return kept;
  return [...kept, buildService(nameOf(deployment))];
}

/**
 * A Deployment that is ours but was altered until nothing can be read from it, while there is no version to put in its place: it stays, and so
 * does its Service. Leaving it out of the answer would delete it.
 */
function unreadable({ deployment, service }: Observed): KubeObject[] {
  const kept = deployment === undefined ? [] : [asObserved(deployment)];
  return service === undefined ? kept : [...kept, buildService(nameOf(service))];
}

const nameOf = ({ metadata: { name, namespace = '' } }: KubeObject) => ({ name, namespace });
