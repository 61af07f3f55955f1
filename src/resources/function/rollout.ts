import { isDeepStrictEqual } from 'node:util';
import { type ErrorCode, isErrorCode } from '../../errors.ts';
import { ANNOTATIONS } from '../kube/labels.ts';
import type { KubeObject } from '../kube/object.ts';
import { parseReport } from '../kube/report.ts';
import { readServer, type Server } from './server.ts';

/** How far the pods of a function are. */
export interface Rollout {
  /** `pending`: the Deployment does not carry yet what is wanted, or its controller has not looked at it. */
  readonly state: 'pending' | 'progressing' | 'failed' | 'complete';
  readonly wanted: number;
  readonly available: number;
  readonly ready: number;
  /** Why pods are missing, where somebody said so. */
  readonly trouble: { readonly reason: ErrorCode; readonly message: string } | undefined;
}

interface DeploymentCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

interface DeploymentStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly conditions?: readonly DeploymentCondition[];
}

/** Reads a Deployment's status against the server that it shall run. */
export function readRollout(deployment: KubeObject | undefined, server: Server | undefined): Rollout {
  // Written by the Deployment controller: the shape is that of apps/v1.
  const status = (deployment?.status ?? {}) as DeploymentStatus;
  const wanted = server?.replicas ?? 0;
  const counts = { wanted, available: status.availableReplicas ?? 0, ready: status.readyReplicas ?? 0 };
  const generation = deployment?.metadata.generation ?? 0;
  const isCurrent =
    server !== undefined &&
    (status.observedGeneration ?? -1) >= generation &&
    isDeepStrictEqual(readServer(deployment), server);
  if (!isCurrent) return { state: 'pending', ...counts, trouble: undefined };
  const state = stateOf(status, wanted);
  const trouble = state === 'complete' ? undefined : troubleOf(deployment, server, status);
  return { state, ...counts, trouble };
}

/** The same rules as `kubectl rollout status`. */
function stateOf(status: DeploymentStatus, wanted: number): Rollout['state'] {
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status;
  const isComplete = updatedReplicas === wanted && replicas === wanted && availableReplicas === wanted;
  if (isComplete) return 'complete';
  const progressing = status.conditions?.find(({ type }) => type === 'Progressing');
  return progressing?.reason === 'ProgressDeadlineExceeded' ? 'failed' : 'progressing';
}

/** The reporter's word about these very pods, else the Deployment's own. */
function troubleOf(
  deployment: KubeObject | undefined,
  server: Server,
  status: DeploymentStatus,
): Rollout['trouble'] {
  const report = parseReport(deployment?.metadata.annotations?.[ANNOTATIONS.report]);
  const isAboutThese = report?.image === undefined || report.image === server.version.image;
  if (isAboutThese && isErrorCode(report?.reason)) {
    return { reason: report.reason, message: report.message ?? report.reason };
  }
  const refused = status.conditions?.find(
    ({ type, status: holds }) => type === 'ReplicaFailure' && holds === 'True',
  );
  return refused === undefined
    ? undefined
    : { reason: 'ChildNotApplied', message: refused.message ?? 'the pods were refused' };
}
