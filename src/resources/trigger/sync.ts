import { withoutUndefined } from '../kube/canonical.ts';
import { type Condition, nextConditions, type WantedCondition } from '../kube/conditions.ts';
import type { SyncRequest, SyncResponse } from '../kube/hook.ts';
import type { KubeObject } from '../kube/object.ts';
import type { Refusal } from '../kube/refusal.ts';
import { formatTime } from '../kube/time.ts';
import { functionUrl, type UrlSettings } from '../kube/url.ts';
import { accept } from './acceptance.ts';
import { type TriggerSpec, type TriggerStatus, triggerStatusSchema } from './schema.ts';

/** What the hooks of Triggers know of the installation. */
export interface TriggerSettings {
  readonly urls: UrlSettings;
}

/**
 * The sync hook of a Trigger. An http Trigger has no children: the proxy routes by the Trigger itself. Pure.
 *
 * @param now milliseconds since 1970
 */
export function syncTrigger(request: SyncRequest, settings: TriggerSettings, now: number): SyncResponse {
  const { parent } = request;
  const previous = triggerStatusSchema.safeParse(parent.status ?? {}).data?.conditions ?? [];
  const { spec, refusal } = accept(request);
  const active = refusal === undefined && spec?.enabled === true;
  const conditions = conditionsOf(parent, refusal, { active, previous, now });
  const status: Partial<TriggerStatus> = withoutUndefined({
    active,
    url: spec?.type === 'http' ? urlOf(parent, spec, settings) : undefined,
    message: refusal?.message ?? (active ? 'active' : 'disabled'),
    conditions,
  });
  return { status, children: [] };
}

function urlOf(parent: KubeObject, spec: TriggerSpec, settings: TriggerSettings): string {
  return functionUrl(settings.urls, parent.metadata.namespace ?? '', spec.functionRef);
}

interface ConditionFacts {
  readonly active: boolean;
  readonly previous: readonly Condition[];
  readonly now: number;
}

/** A Trigger that is disabled is as it shall be: Ready. One whose Function is still to come waits for it. */
function conditionsOf(parent: KubeObject, refusal: Refusal | undefined, facts: ConditionFacts): Condition[] {
  const verdict = refusal ?? {
    reason: facts.active ? 'Active' : 'Disabled',
    message: facts.active ? 'active' : 'disabled',
  };
  const { reason, message } = verdict;
  const abnormal = reason === 'FunctionNotFound' ? 'Reconciling' : 'Stalled';
  const wanted: WantedCondition[] = [
    { type: 'Ready', status: refusal === undefined ? 'True' : 'False', reason, message },
    ...(refusal === undefined ? [] : [{ type: abnormal, status: 'True' as const, reason, message }]),
  ];
  const { previous, now } = facts;
  return nextConditions(wanted, { previous, generation: parent.metadata.generation, now: formatTime(now) });
}
