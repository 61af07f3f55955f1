import { appliedCondition, isMissingTooLong, missingChildren } from '../kube/applied.ts';
import { withoutUndefined } from '../kube/canonical.ts';
import { type Condition, nextConditions, type WantedCondition } from '../kube/conditions.ts';
import type { SyncRequest, SyncResponse } from '../kube/hook.ts';
import { formatTime } from '../kube/time.ts';
import { functionUrl, type UrlSettings } from '../kube/url.ts';
import { type Acceptance, accept } from './acceptance.ts';
import { wantedChildren } from './children.ts';
import type { CronSettings } from './cron-job.ts';
import { type Observed, observe } from './observed.ts';
import type { TriggerStatus } from './schema.ts';
import { judge, type Verdict } from './verdict.ts';

/** What the hooks of Triggers know of the installation. */
export interface TriggerSettings {
  readonly urls: UrlSettings;
  readonly cron: CronSettings;
}

/** How soon to look again while a child is awaited. */
const RESYNC_SECONDS = 5;

/**
 * The sync hook of a Trigger. An http Trigger has no children: the proxy routes by the Trigger itself. A cron Trigger has a CronJob, an event
 * Trigger the ConfigMap that the dispatcher reads. Pure.
 *
 * @param now milliseconds since 1970
 */
export function syncTrigger(request: SyncRequest, settings: TriggerSettings, now: number): SyncResponse {
  const observed = observe(request);
  const acceptance = accept(request);
  const children = wantedChildren(observed, acceptance, settings.cron);
  const missing = missingChildren(children, observed.children);
  const previous = observed.status.conditions ?? [];
  const missingTooLong = isMissingTooLong(missing, { previous, now });
  const verdict = judge({ observed, acceptance, missing, missingTooLong });
  const status: Partial<TriggerStatus> = withoutUndefined({
    active: verdict.active,
    url: urlOf(observed, acceptance, settings.urls),
    message: verdict.message,
    consumer: verdict.consumer,
    conditions: conditionsOf(verdict, { observed, missing, now }),
  });
  return { status, children, ...(missing.length > 0 ? { resyncAfterSeconds: RESYNC_SECONDS } : {}) };
}

/** None while the function is not there: nothing would answer, and the name may come to mean something else. */
function urlOf({ parent }: Observed, { spec, refusal }: Acceptance, urls: UrlSettings): string | undefined {
  if (spec?.type !== 'http' || refusal?.reason === 'FunctionNotFound') return undefined;
  return functionUrl(urls, parent.metadata.namespace ?? '', spec.functionRef);
}

interface ConditionFacts {
  readonly observed: Observed;
  readonly missing: readonly string[];
  readonly now: number;
}

/** kstatus: Reconciling and Stalled are there only while they hold. */
function conditionsOf(verdict: Verdict, { observed, missing, now }: ConditionFacts): Condition[] {
  const { state, reason, message } = verdict;
  const abnormal = state === 'waiting' ? 'Reconciling' : 'Stalled';
  const wanted: WantedCondition[] = [
    ...appliedCondition(missing, reason === 'ChildNotApplied'),
    { type: 'Ready', status: state === 'ready' ? 'True' : 'False', reason, message },
    ...(state === 'ready' ? [] : [{ type: abnormal, status: 'True' as const, reason, message }]),
  ];
  const { status, parent } = observed;
  return nextConditions(wanted, {
    previous: status.conditions ?? [],
    generation: parent.metadata.generation,
    now: formatTime(now),
  });
}
