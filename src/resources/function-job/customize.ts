import type { CustomizeRequest, CustomizeResponse } from '../kube/hook.ts';
import { KINDS } from '../kube/kinds.ts';
import { functionRule, namespaceRule } from '../kube/related.ts';

/** The kinds that a FunctionJob's hook emits and looks at. */
export const FUNCTION_JOB_KINDS = Object.freeze({
  parent: KINDS.FunctionJob,
  children: [KINDS.Job, KINDS.ConfigMap],
  related: [KINDS.Namespace],
  // One that names no Function asks for none.
  perhapsRelated: [KINDS.Function],
});

/** What a FunctionJob wants to see: its namespace, and the one Function that it names. */
export function customizeFunctionJob({ parent }: CustomizeRequest): CustomizeResponse {
  return { relatedResources: [namespaceRule(parent), ...functionRule(parent)] };
}
