import type { CustomizeRequest, CustomizeResponse } from '../kube/hook.ts';
import { KINDS } from '../kube/kinds.ts';
import { LABELS } from '../kube/labels.ts';
import { namespaceRule } from '../kube/related.ts';

/** The kinds that a Function's hook emits and looks at. Metacontroller's configuration declares the same. */
export const FUNCTION_KINDS = Object.freeze({
  parent: KINDS.Function,
  children: [KINDS.Deployment, KINDS.Service, KINDS.Job],
  related: [KINDS.Namespace, KINDS.Trigger],
});

/**
 * What a Function wants to see beside its children. It depends on nothing but the name, because Metacontroller keeps the answer for 20
 * minutes; and it matches one to few, because every change of a match wakes the parent.
 */
export function customizeFunction({ parent }: CustomizeRequest): CustomizeResponse {
  const { name, namespace = '' } = parent.metadata;
  const triggers = {
    apiVersion: KINDS.Trigger.apiVersion,
    resource: KINDS.Trigger.plural,
    namespace,
    labelSelector: { matchLabels: { [LABELS.function]: name } },
  };
  return { relatedResources: [namespaceRule(parent), triggers] };
}
