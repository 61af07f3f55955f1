import type { FunctionObject } from '../../../resources/function/schema.ts';
import { ANNOTATIONS } from '../../../resources/kube/labels.ts';
import { annotationOf } from '../../../resources/kube/object.ts';

/** The build of the code that is wanted now. */
export type BuildState =
  | { readonly state: 'none' }
  /** Nothing of it was seen yet. */
  | { readonly state: 'awaited' }
  | { readonly state: 'running'; readonly job: string }
  /** `job` is absent where another build, or none, made the image. */
  | { readonly state: 'succeeded'; readonly job?: string }
  | { readonly state: 'failed'; readonly job?: string; readonly reason: string; readonly message: string };

export function buildState(object: FunctionObject): BuildState {
  const { spec, status = {} } = object;
  const rebuild = annotationOf(object, ANNOTATIONS.rebuild);
  const { build } = status;
  if (spec.s3Key === undefined) return { state: 'none' };
  const isLatest = build?.key === spec.s3Key && build.rebuild === rebuild;
  const job = isLatest ? build.job : undefined;
  if (isLatest && build.reason !== undefined)
    return { state: 'failed', job: build.job, reason: build.reason, message: build.message ?? '' };
  if (status.builtKey === spec.s3Key && status.builtRebuild === rebuild)
    return { state: 'succeeded', ...(job === undefined ? {} : { job }) };
  if (job !== undefined) return { state: 'running', job };
  return refusal(object, rebuild) ?? { state: 'awaited' };
}

/** Of code that is not built for what the spec says. */
function refusal({ metadata, status }: FunctionObject, rebuild: string | undefined): BuildState | undefined {
  const isAbout = status?.observedGeneration === metadata.generation && status?.rebuild === rebuild;
  if (!isAbout || status?.phase !== 'Failed') return undefined;
  const reason = status.conditions?.find(({ type }) => type === 'Ready')?.reason ?? 'InvalidSpec';
  return { state: 'failed', reason, message: status.message ?? '' };
}
