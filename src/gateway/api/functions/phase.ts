import { takenAnnotation } from '../../../resources/function/observed.ts';
import type { FunctionObject, FunctionPhase } from '../../../resources/function/schema.ts';
import { ANNOTATIONS } from '../../../resources/kube/labels.ts';

export interface PhaseAnswer {
  readonly phase: FunctionPhase;
  readonly message: string;
}

/**
 * Phase and message of a function. A status that is older than what the caller has just asked for is no answer:
 * whoever polls after an upload, a rebuild or a restart must not read the `Ready`, or the `Failed`, of the version before.
 */
export function phaseOf(object: FunctionObject): PhaseAnswer {
  const status = object.status;
  if (status?.phase === undefined || isStale(object) || missesRebuild(object) || missesRestart(object))
    return { phase: 'Pending', message: 'waiting for the operator' };
  return { phase: status.phase, message: status.message ?? '' };
}

function isStale({ metadata, status }: FunctionObject): boolean {
  const seen = status?.observedGeneration;
  return metadata.generation !== undefined && seen !== undefined && seen < metadata.generation;
}

/**
 * A rebuild is asked for by an annotation, which counts no generation. The hook takes another value than that of the
 * deployed version for a request, unless it was spent on a build already; until then its status has not seen it.
 */
function missesRebuild(object: FunctionObject): boolean {
  const { spec, status } = object;
  const rebuild = takenAnnotation(object, ANNOTATIONS.rebuild);
  if (rebuild === undefined || spec.s3Key === undefined) return false;
  // A spec that is refused gets no build; that is the answer, not the one that is waited for.
  if (status?.phase === 'Failed' && status.build?.reason === undefined) return false;
  return status?.builtRebuild !== rebuild && status?.build?.rebuild !== rebuild;
}

/** A restart counts no generation either; a status that has seen it says so. */
function missesRestart(object: FunctionObject): boolean {
  const restart = takenAnnotation(object, ANNOTATIONS.restart);
  return restart !== undefined && object.status?.restart !== restart;
}
