import { LABELS } from '../kube/labels.ts';
import type { TriggerSpec } from './schema.ts';

/** All that the children of a cron Trigger are made from, with the defaults of its type. */
export interface Cron {
  readonly namespace: string;
  /** The Trigger's name. */
  readonly trigger: string;
  readonly triggerUid: string;
  readonly function: string;
  readonly schedule: string;
  readonly timeZone: string;
  readonly payload: string;
  readonly concurrencyPolicy: 'Allow' | 'Forbid' | 'Replace';
  readonly suspended: boolean;
  /** What one call may take, from the Function. */
  readonly timeoutSeconds: number;
}

interface Wanted {
  readonly namespace: string;
  readonly trigger: string;
  readonly triggerUid: string;
  readonly spec: TriggerSpec;
  readonly active: boolean;
  readonly timeoutSeconds: number;
}

/** The cron that a spec asks for. */
export function wantedCron({ namespace, trigger, triggerUid, spec, active, timeoutSeconds }: Wanted): Cron {
  return {
    namespace,
    trigger,
    triggerUid,
    function: spec.functionRef,
    schedule: spec.schedule ?? '',
    timeZone: spec.timeZone ?? 'UTC',
    payload: spec.payload ?? '{}',
    concurrencyPolicy: spec.concurrencyPolicy ?? 'Forbid',
    suspended: !active,
    timeoutSeconds,
  };
}

/** Labels of a cron Trigger's children, their Jobs and their pods. */
export function cronLabels({
  function: name,
  trigger,
}: Pick<Cron, 'function' | 'trigger'>): Record<string, string> {
  return {
    [LABELS.managedBy]: 'sless',
    [LABELS.component]: 'cron',
    [LABELS.function]: name,
    [LABELS.trigger]: trigger,
  };
}
