import type { DecorateRequest, DecorateResponse } from '../kube/hook.ts';
import { KINDS } from '../kube/kinds.ts';
import { LABELS } from '../kube/labels.ts';
import { functionRef } from '../kube/names.ts';

/** The kinds of the decorator of Triggers. */
export const TRIGGER_DECORATOR_KINDS = Object.freeze({ parent: KINDS.Trigger, children: [], related: [] });

/**
 * Labels a Trigger with the Function that it names, so that the Function's hook can select its few Triggers. Functions look at the
 * spec again; a label that somebody wrote by hand leads nowhere.
 */
export function decorateTrigger({ object }: DecorateRequest): DecorateResponse {
  const spec = object.spec as { readonly functionRef?: unknown } | undefined;
  const name = functionRef.safeParse(spec?.functionRef);
  return name.success ? { labels: { [LABELS.function]: name.data }, attachments: [] } : { attachments: [] };
}
