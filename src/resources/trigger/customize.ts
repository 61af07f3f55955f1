import type { CustomizeRequest, CustomizeResponse } from '../kube/hook.ts';
import { KINDS } from '../kube/kinds.ts';
import { functionRule, namespaceRule } from '../kube/related.ts';

/** The kinds that a Trigger's hook emits and looks at. */
export const TRIGGER_KINDS = Object.freeze({
  parent: KINDS.Trigger,
  children: [KINDS.CronJob, KINDS.ConfigMap],
  related: [KINDS.Namespace],
  // One that names no Function asks for none.
  perhapsRelated: [KINDS.Function],
});

/** What a Trigger wants to see: its namespace, and the one Function that it names. */
export function customizeTrigger({ parent }: CustomizeRequest): CustomizeResponse {
  return { relatedResources: [namespaceRule(parent), ...functionRule(parent)] };
}
