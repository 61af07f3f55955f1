import type { DecorateRequest, DecorateResponse } from '../kube/hook.ts';
import { ANNOTATIONS } from '../kube/labels.ts';
import { type Finished, finishedOf } from './observed.ts';
import { functionJobStatusSchema } from './schema.ts';

/**
 * Writes the highest run that is over into annotations, which a backup restores where it leaves the status out: a migration must not run
 * twice. The number never falls.
 */
export function decorateFunctionJob({ object }: DecorateRequest): DecorateResponse {
  const written = finishedOf(object);
  const over = overIn(object.status);
  if (over === undefined || over.runID <= (written?.runID ?? 0)) return { attachments: [] };
  return {
    annotations: {
      [ANNOTATIONS.finishedRun]: String(over.runID),
      [ANNOTATIONS.finishedPhase]: over.phase,
    },
    attachments: [],
  };
}

/** A run that was replaced is over too. */
function overIn(status: unknown): Finished | undefined {
  const { phase, runID, lastRunID } = functionJobStatusSchema.safeParse(status ?? {}).data ?? {};
  if (runID === undefined) return undefined;
  if (phase === 'Succeeded' || phase === 'Failed') return { runID, phase };
  return lastRunID !== undefined && lastRunID < runID ? { runID: lastRunID, phase: 'Failed' } : undefined;
}
