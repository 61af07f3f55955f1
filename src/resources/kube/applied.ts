import type { Condition, WantedCondition } from './conditions.ts';
import type { KubeObject } from './object.ts';
import { parseTime } from './time.ts';

/** A child that is not there so long after it was first missed is not just late. */
const MISSING_SECONDS = 60;
/** The clock of that: False while a child is missing, and not there at all otherwise. */
const APPLIED = 'Applied';

const keyOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.name}`;

/** Wanted children that are not observed, such as `CronJob nightly`. */
export function missingChildren(wanted: readonly KubeObject[], observed: readonly KubeObject[]): string[] {
  const there = new Set(observed.map(keyOf));
  return wanted.map(keyOf).filter((key) => !there.has(key));
}

/** Whether children have been missing for so long that somebody must look. */
export function isMissingTooLong(
  missing: readonly string[],
  { previous, now }: { readonly previous: readonly Condition[]; readonly now: number },
): boolean {
  if (missing.length === 0) return false;
  const since = parseTime(previous.find(({ type }) => type === APPLIED)?.lastTransitionTime);
  return since !== undefined && now - since >= MISSING_SECONDS * 1000;
}

/** The condition that says what is missing, and since when. */
export function appliedCondition(missing: readonly string[], isLate: boolean): WantedCondition[] {
  if (missing.length === 0) return [];
  const message = `not there yet: ${missing.join(', ')}`;
  return [{ type: APPLIED, status: 'False', reason: isLate ? 'ChildNotApplied' : 'Applying', message }];
}

/** What to say of children that do not come. */
export function notAppliedMessage(missing: readonly string[], of: string): string {
  return `${missing.join(', ')} could not be made: see the events of this ${of}; a quota or a rule of the cluster refuses it, or an object of that name is there already`;
}
