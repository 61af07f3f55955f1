import type { FunctionObject, FunctionPhase } from '../../../resources/function/schema.ts';
import { ANNOTATIONS } from '../../../resources/kube/labels.ts';

export interface PhaseAnswer {
  readonly phase: FunctionPhase;
  readonly message: string;
}

/**
 * Phase and message of a function. A status that is older than what the caller has just asked for is no answer:
 * whoever polls after an upload or a rebuild must not read the `Ready`, or the `Failed`, of the version before.
 */
export function phaseOf(object: FunctionObject): PhaseAnswer {
  const status = object.status;
  if (status?.phase === undefined || isStale(object) || missesRebuild(object))
    return { phase: 'Pending', message: 'waiting for the operator' };
  return { phase: status.phase, message: status.message ?? '' };
}

function isStale({ metadata, status }: FunctionObject): boolean {
  const seen = status?.observedGeneration;
  return metadata.generation !== undefined && seen !== undefined && seen < metadata.generation;
}

/**
 * A rebuild is asked for by an annotation, which counts no generation. The status has not seen it when its last build is
 * of this key but answers another value, and what is deployed does not answer this one.
 */
function missesRebuild({ metadata, spec, status }: FunctionObject): boolean {
  const rebuild = metadata.annotations?.[ANNOTATIONS.rebuild];
  const build = status?.build;
  if (rebuild === undefined || build === undefined || build.key !== spec.s3Key) return false;
  // A spec that is refused gets no build; that is the answer, not the one that is waited for.
  if (status?.phase === 'Failed' && build.reason === undefined) return false;
  const isAnswered = status?.builtKey === spec.s3Key && status?.builtRebuild === rebuild;
  return build.rebuild !== rebuild && !isAnswered;
}
