import {
  type CustomizeRequest,
  type CustomizeResponse,
  type ObjectGroups,
  objectsOf,
  type RelatedRule,
} from './hook.ts';
import { KINDS } from './kinds.ts';
import { LABELS } from './labels.ts';
import type { KubeObject } from './object.ts';
import type { Refusal } from './refusal.ts';

/** Brings the namespace itself along, for its label. A Namespace has no namespace, so the rule names none. */
export function namespaceRule(parent: KubeObject): RelatedRule {
  const { apiVersion, plural } = KINDS.Namespace;
  return { apiVersion, resource: plural, names: [parent.metadata.namespace ?? ''] };
}

/** A refusal unless the object's namespace is labelled for sless: elsewhere nothing is created, changed or deleted. */
export function namespaceRefusal(parent: KubeObject, related: ObjectGroups): Refusal | undefined {
  const name = parent.metadata.namespace;
  const namespace = objectsOf(related, KINDS.Namespace).find((known) => known.metadata.name === name);
  if (namespace?.metadata.labels?.[LABELS.tenant] === 'true') return undefined;
  return {
    reason: 'NamespaceNotEnabled',
    message: `namespace ${name} is not labelled ${LABELS.tenant}=true, so nothing is done here`,
  };
}

/** What an object that names a Function in `spec.functionRef` wants to see: its namespace and that one Function. */
export function customizeReferrer({ parent }: CustomizeRequest): CustomizeResponse {
  return { relatedResources: [namespaceRule(parent), ...functionRule(parent)] };
}

/** Nothing for an object that names none. */
function functionRule(parent: KubeObject): RelatedRule[] {
  const { namespace = '' } = parent.metadata;
  const spec = parent.spec as { readonly functionRef?: unknown } | undefined;
  if (typeof spec?.functionRef !== 'string' || spec.functionRef === '') return [];
  const { apiVersion, plural } = KINDS.Function;
  return [{ apiVersion, resource: plural, namespace, names: [spec.functionRef] }];
}
