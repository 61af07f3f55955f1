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
  if (status?.phase === undefined || isStale(object) || missesRequest(object))
    return { phase: 'Pending', message: 'waiting for the operator' };
  return { phase: status.phase, message: status.message ?? '' };
}

function isStale({ metadata, status }: FunctionObject): boolean {
  const seen = status?.observedGeneration;
  return metadata.generation !== undefined && seen !== undefined && seen < metadata.generation;
}

/** A rebuild or a restart is asked for by an annotation, which counts no generation; a status that has seen it says so. */
function missesRequest(object: FunctionObject): boolean {
  const { status } = object;
  return (
    takenAnnotation(object, ANNOTATIONS.rebuild) !== status?.rebuild ||
    takenAnnotation(object, ANNOTATIONS.restart) !== status?.restart
  );
}
