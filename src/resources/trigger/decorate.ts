import type { DecorateRequest, DecorateResponse } from '../kube/hook.ts';
import { KINDS } from '../kube/kinds.ts';
import { ANNOTATIONS, LABELS } from '../kube/labels.ts';
import { functionRef } from '../kube/names.ts';
import { annotationOf, type KubeObject } from '../kube/object.ts';

/** The kinds of the decorator of Triggers. */
export const TRIGGER_DECORATOR_KINDS = Object.freeze({ parent: KINDS.Trigger, children: [], related: [] });

/**
 * Labels a Trigger with the Function that it names, so that the Function's hook can select its few Triggers. Functions look at the
 * spec again; a label that somebody wrote by hand leads nowhere. And takes a stop's mark from a Trigger that was enabled meanwhile: should its
 * user disable it after that, start shall leave it so.
 */
export function decorateTrigger({ object }: DecorateRequest): DecorateResponse {
  const spec = object.spec as { readonly functionRef?: unknown; readonly enabled?: unknown } | undefined;
  const name = functionRef.safeParse(spec?.functionRef);
  return {
    ...(name.success ? { labels: { [LABELS.function]: name.data } } : {}),
    ...(isMarked(object) && spec?.enabled !== false ? { annotations: { [ANNOTATIONS.stopped]: null } } : {}),
    attachments: [],
  };
}

const isMarked = (object: KubeObject): boolean => annotationOf(object, ANNOTATIONS.stopped) !== undefined;
