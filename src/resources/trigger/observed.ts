import { z } from 'zod';
import { callLimitsOf } from '../kube/call-limits.ts';
import { objectsOf, type SyncRequest } from '../kube/hook.ts';
import { KINDS } from '../kube/kinds.ts';
import { controllerOf, type KubeObject } from '../kube/object.ts';
import { type TriggerStatus, triggerStatusSchema } from './schema.ts';

/** What a sync of a Trigger sees, indexed. */
export interface Observed {
  readonly parent: KubeObject;
  readonly status: TriggerStatus;
  /** Its own children, of whatever kind. */
  readonly children: readonly KubeObject[];
  /** What one call of the Function may take. */
  readonly timeoutSeconds: number;
  /** Whether the Function is wanted without pods, Triggers or not. */
  readonly isFunctionStopped: boolean;
}

const stoppedSpec = z.object({ replicas: z.literal(0) });

/** Indexes a request. Status is the user's to damage, so one that does not hold up counts as lost. */
export function observe({ parent, children, related }: SyncRequest): Observed {
  const { namespace, uid } = parent.metadata;
  const name = (parent.spec as { readonly functionRef?: unknown } | undefined)?.functionRef;
  const called = objectsOf(related, KINDS.Function).find(
    ({ metadata }) => metadata.name === name && metadata.namespace === namespace,
  );
  return {
    parent,
    status: triggerStatusSchema.safeParse(parent.status ?? {}).data ?? {},
    children: [KINDS.CronJob, KINDS.ConfigMap]
      .flatMap((kind) => objectsOf(children, kind))
      .filter((child) => child.metadata.namespace === namespace && controllerOf(child)?.uid === uid),
    timeoutSeconds: callLimitsOf(called).timeoutSeconds,
    isFunctionStopped: stoppedSpec.safeParse(called?.spec).success,
  };
}
