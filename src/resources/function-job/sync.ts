import { nextConditions } from '../kube/conditions.ts';
import type { DecorateResponse, SyncRequest, SyncResponse } from '../kube/hook.ts';
import type { Refusal } from '../kube/refusal.ts';
import { namespaceRefusal } from '../kube/related.ts';
import { formatTime } from '../kube/time.ts';
import { functionJobStatusSchema } from './schema.ts';

const NOT_YET: Refusal = { reason: 'NotImplementedYet', message: 'FunctionJobs do not run yet' };

/**
 * The sync hook of a FunctionJob. Runs are not implemented yet, and the status says so.
 *
 * @param now milliseconds since 1970
 */
export function syncFunctionJob(request: SyncRequest, now: number): SyncResponse {
  const { parent, related } = request;
  const { reason, message } = namespaceRefusal(parent, related) ?? NOT_YET;
  const previous = functionJobStatusSchema.safeParse(parent.status ?? {}).data?.conditions ?? [];
  const conditions = nextConditions(
    [
      { type: 'Ready', status: 'False', reason, message },
      { type: 'Stalled', status: 'True', reason, message },
    ],
    { previous, generation: parent.metadata.generation, now: formatTime(now) },
  );
  return { status: { phase: 'Pending', message, conditions }, children: [] };
}

/** The decorator that will keep the finished run in an annotation. No run finishes yet. */
export function decorateFunctionJob(): DecorateResponse {
  return { attachments: [] };
}
