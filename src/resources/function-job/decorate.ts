import type { DecorateRequest, DecorateResponse } from '../kube/hook.ts';
import { ANNOTATIONS } from '../kube/labels.ts';
import { type Finished, finishedOf, finishedRunText } from './observed.ts';
import { functionJobStatusSchema } from './schema.ts';

type Over = Pick<Finished, 'runID' | 'phase'>;

/**
 * Writes the highest run that is over into annotations, which a backup restores where it leaves the status out: a migration must not run
 * twice. The number never falls.
 */
export function decorateFunctionJob({ object }: DecorateRequest): DecorateResponse {
  const written = finishedOf(object);
  const over = overIn(object.status);
  if (over === undefined || !isNews(over, written)) return { attachments: [] };
  return {
    annotations: {
      [ANNOTATIONS.finishedRun]: finishedRunText(object, over.runID),
      [ANNOTATIONS.finishedPhase]: over.phase,
    },
    attachments: [],
  };
}

function isNews({ runID }: Over, written: Finished | undefined): boolean {
  if (written === undefined || runID > written.runID) return true;
  return runID === written.runID && !written.isBound;
}

/** A run that was replaced is over too. */
function overIn(status: unknown): Over | undefined {
  const { phase, runID, lastRunID } = functionJobStatusSchema.safeParse(status ?? {}).data ?? {};
  if (runID === undefined) return undefined;
  if (phase === 'Succeeded' || phase === 'Failed') return { runID, phase };
  return lastRunID !== undefined && lastRunID < runID ? { runID: lastRunID, phase: 'Failed' } : undefined;
}
