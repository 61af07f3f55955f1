import { KINDS } from '../../../resources/kube/kinds.ts';
import type { TriggerObject } from '../../../resources/trigger/schema.ts';
import { keptKind } from '../kept.ts';

export const {
  ref: triggerRef,
  title: triggerTitle,
  typed: asTrigger,
  require: requireTrigger,
} = keptKind<TriggerObject>(KINDS.Trigger, 'trigger');
