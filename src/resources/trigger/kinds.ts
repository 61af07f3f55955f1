import { KINDS } from '../kube/kinds.ts';

/** The kinds that a Trigger's hook emits and looks at. */
export const TRIGGER_KINDS = Object.freeze({
  parent: KINDS.Trigger,
  children: [KINDS.CronJob, KINDS.ConfigMap],
  related: [KINDS.Namespace],
  // One that names no Function asks for none.
  perhapsRelated: [KINDS.Function],
});
