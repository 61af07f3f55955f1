import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type ErrorCode, isErrorCode } from '../../errors.ts';
import { observedConditions } from '../kube/conditions.ts';
import { ANNOTATIONS } from '../kube/labels.ts';
import { annotationOf, type KubeObject } from '../kube/object.ts';
import { parseReport } from '../kube/report.ts';
import { alteredParts } from './altered.ts';
import type { Server } from './server.ts';
import { deployedVersion } from './version.ts';

/** How far the pods of a function are. */
export interface Rollout {
  /** `pending`: the Deployment does not carry yet what is wanted, or its controller has not looked at it. */
  readonly state: 'pending' | 'progressing' | 'failed' | 'complete';
  readonly wanted: number;
  readonly available: number;
  readonly ready: number;
  /** Whether a pod of the very version that is wanted takes calls, be others of the one before still there, and whatever else is another. */
  readonly takesCalls: boolean;
  /** Why pods are missing, where somebody said so. */
  readonly trouble: { readonly reason: ErrorCode; readonly message: string } | undefined;
}

const count = z.int().min(0).default(0);

/** What is read of the status of a Deployment, apps/v1. */
const deploymentStatus = z.object({
  observedGeneration: z.int().default(-1),
  replicas: count,
  updatedReplicas: count,
  readyReplicas: count,
  availableReplicas: count,
  conditions: observedConditions,
});

type DeploymentStatus = z.infer<typeof deploymentStatus>;

const NOTHING_KNOWN: DeploymentStatus = deploymentStatus.parse({});

/** Reads a Deployment's status against the server that it shall run. */
export function readRollout(deployment: KubeObject | undefined, server: Server | undefined): Rollout {
  const status = deploymentStatus.safeParse(deployment?.status ?? {}).data ?? NOTHING_KNOWN;
  const wanted = server?.replicas ?? 0;
  const counts = { wanted, available: status.availableReplicas, ready: status.readyReplicas };
  const generation = deployment?.metadata.generation ?? 0;
  const isSeen = status.observedGeneration >= generation;
  // More are available than there are of earlier templates.
  const takesCalls =
    isSeen &&
    isDeepStrictEqual(deployedVersion(deployment), server?.version) &&
    status.availableReplicas > status.replicas - status.updatedReplicas;
  if (server === undefined || !isSeen || alteredParts(deployment, server).length > 0)
    return { state: 'pending', ...counts, takesCalls, trouble: undefined };
  const state = stateOf(status, wanted);
  const trouble = state === 'complete' ? undefined : troubleOf(deployment, server, status);
  return { state, ...counts, takesCalls, trouble };
}

/** The same rules as `kubectl rollout status`. */
function stateOf(status: DeploymentStatus, wanted: number): Rollout['state'] {
  const { replicas, updatedReplicas, availableReplicas } = status;
  const isComplete = updatedReplicas === wanted && replicas === wanted && availableReplicas === wanted;
  if (isComplete) return 'complete';
  const progressing = status.conditions.find(({ type }) => type === 'Progressing');
  return progressing?.reason === 'ProgressDeadlineExceeded' ? 'failed' : 'progressing';
}

/** The reporter's word about these very pods, else the Deployment's own. */
function troubleOf(
  deployment: KubeObject | undefined,
  server: Server,
  status: DeploymentStatus,
): Rollout['trouble'] {
  const report = parseReport(annotationOf(deployment, ANNOTATIONS.report));
  const isAboutThese = report?.image === undefined || report.image === server.version.image;
  if (isAboutThese && isErrorCode(report?.reason)) {
    return { reason: report.reason, message: report.message ?? report.reason };
  }
  const refused = status.conditions.find(
    ({ type, status: holds }) => type === 'ReplicaFailure' && holds === 'True',
  );
  return refused === undefined
    ? undefined
    : { reason: 'ChildNotApplied', message: refused.message ?? 'the pods were refused' };
}
