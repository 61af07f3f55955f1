import { KINDS } from '../kube/kinds.ts';

/** The kinds that a FunctionJob's hook emits and looks at. */
export const FUNCTION_JOB_KINDS = Object.freeze({
  parent: KINDS.FunctionJob,
  children: [KINDS.Job, KINDS.ConfigMap],
  related: [KINDS.Namespace],
  // One that names no Function asks for none.
  perhapsRelated: [KINDS.Function],
});
