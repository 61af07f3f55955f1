import type { SyncRequest, SyncResponse } from '../kube/hook.ts';
import { asObserved } from '../kube/kept.ts';
import type { KubeObject } from '../kube/object.ts';
import { buildJob } from './build-job.ts';
import { type Decision, decide } from './decision.ts';
import { buildDeployment } from './deployment.ts';
import { type Observed, observe } from './observed.ts';
import { readRollout } from './rollout.ts';
import { buildService } from './service.ts';
import type { FunctionSettings } from './settings.ts';
import { functionStatus } from './status.ts';

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
  const missing = decision.refusal === undefined ? missingChildren(observed, children) : [];
  const status = functionStatus({ observed, decision, rollout, missing, now });
  const isWaiting = missing.length > 0 || awaitsUnannounced(decision) || awaitsStatus(decision);
  return { status, children, ...(isWaiting ? { resyncAfterSeconds: RESYNC_SECONDS } : {}) };
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
  const { server, builds, refusal } = decision;
  // Made from what is read, they would be rewritten by the next release or another setting.
  if (refusal?.reason === 'NamespaceNotEnabled') return observed.children.map(asObserved);
  const jobs = builds.map((build) => buildJob(build, settings));
  if (server !== undefined) return [buildDeployment(server, settings), buildService(server), ...jobs];
  return [...unreadable(observed), ...jobs];
}

/**
 * A Deployment that is ours but was altered until nothing can be read from it, while there is no version to put in its place: it stays, and so
 * does its Service. Leaving it out of the answer would delete it.
 */
function unreadable(observed: Observed): KubeObject[] {
  const { deployment, service } = observed;
  const kept = deployment === undefined ? [] : [asObserved(deployment)];
  return service === undefined
    ? kept
    : [...kept, buildService(service.metadata as { name: string; namespace: string })];
}

const keyOf = (object: KubeObject): string => `${object.kind} ${object.metadata.name}`;

function missingChildren(observed: Observed, children: readonly KubeObject[]): string[] {
  const { deployment, service, jobs } = observed;
  const there = new Set([deployment, service, ...jobs].flatMap((object) => (object ? [keyOf(object)] : [])));
  return children.map(keyOf).filter((key) => !there.has(key));
}
