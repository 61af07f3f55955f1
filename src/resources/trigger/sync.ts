import { withoutUndefined } from '../kube/canonical.ts';
import { type Condition, nextConditions, type WantedCondition } from '../kube/conditions.ts';
import { objectsOf, type SyncRequest, type SyncResponse } from '../kube/hook.ts';
import { KINDS } from '../kube/kinds.ts';
import { TRIGGER_NAME_RULE } from '../kube/names.ts';
import type { KubeObject } from '../kube/object.ts';
import { firstRefusal, type Refusal, type RefusalRule } from '../kube/refusal.ts';
import { namespaceRefusal } from '../kube/related.ts';
import { formatTime } from '../kube/time.ts';
import { functionUrl, type UrlSettings } from '../kube/url.ts';
import { type TriggerSpec, type TriggerStatus, triggerSpecSchema, triggerStatusSchema } from './schema.ts';

/** What the hooks of Triggers know of the installation. */
export interface TriggerSettings {
  readonly urls: UrlSettings;
}

interface Candidate {
  readonly parent: KubeObject;
  readonly spec: TriggerSpec;
  readonly isFunctionThere: boolean;
}

/**
 * The sync hook of a Trigger. An http Trigger has no children: the proxy routes by the Trigger itself. Pure.
 *
 * @param now milliseconds since 1970
 */
export function syncTrigger(request: SyncRequest, settings: TriggerSettings, now: number): SyncResponse {
  const { parent } = request;
  const previous = triggerStatusSchema.safeParse(parent.status ?? {}).data?.conditions ?? [];
  const spec = acceptedSpec(request);
  const refusal = 'reason' in spec ? spec : judge(request, spec);
  const active = refusal === undefined && 'enabled' in spec && spec.enabled;
  const conditions = conditionsOf(parent, refusal, { active, previous, now });
  const status: Partial<TriggerStatus> = withoutUndefined({
    active,
    url: 'type' in spec && spec.type === 'http' ? urlOf(parent, spec, settings) : undefined,
    message: refusal?.message ?? (active ? 'active' : 'disabled'),
    conditions,
  });
  return { status, children: [] };
}

function urlOf(parent: KubeObject, spec: TriggerSpec, settings: TriggerSettings): string {
  return functionUrl(settings.urls, parent.metadata.namespace ?? '', spec.functionRef);
}

function acceptedSpec({ parent, related }: SyncRequest): TriggerSpec | Refusal {
  const early = namespaceRefusal(parent, related);
  if (early !== undefined) return early;
  if (!TRIGGER_NAME_RULE.holds(parent.metadata.name)) {
    return { reason: 'InvalidSpec', message: TRIGGER_NAME_RULE.message };
  }
  const parsed = triggerSpecSchema.safeParse(parent.spec ?? {});
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map(({ path, message }) => `spec.${path.join('.')}: ${message}`);
  return { reason: 'InvalidSpec', message: lines.join('; ') };
}

const RULES: readonly RefusalRule<Candidate>[] = [notImplementedYet, functionNotFound];

function judge({ parent, related }: SyncRequest, spec: TriggerSpec): Refusal | undefined {
  const isFunctionThere = objectsOf(related, KINDS.Function).some(
    ({ metadata }) => metadata.name === spec.functionRef && metadata.namespace === parent.metadata.namespace,
  );
  return firstRefusal(RULES, { parent, spec, isFunctionThere });
}

function notImplementedYet({ spec }: Candidate): Refusal | undefined {
  if (spec.type === 'http') return undefined;
  return { reason: 'NotImplementedYet', message: `triggers of type ${spec.type} do nothing yet` };
}

function functionNotFound({ spec, isFunctionThere }: Candidate): Refusal | undefined {
  if (isFunctionThere) return undefined;
  return {
    reason: 'FunctionNotFound',
    message: `there is no Function ${spec.functionRef} in this namespace`,
  };
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
