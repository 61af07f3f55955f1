import type { Condition, WantedCondition } from './conditions.ts';
import type { KubeObject } from './object.ts';
import { parseTime } from './time.ts';

/** A child that is not there, or not as it was answered, so long after that was first seen is not just late. */
const LATE_SECONDS = 60;
/** The clock of that: False while a child is missing or is another, and not there at all otherwise. */
const APPLIED = 'Applied';

const keyOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.name}`;

/** Wanted children that are not observed, such as `CronJob nightly`. */
export function missingChildren(wanted: readonly KubeObject[], observed: readonly KubeObject[]): string[] {
  const there = new Set(observed.map(keyOf));
  return wanted.map(keyOf).filter((key) => !there.has(key));
}

/** Whether children have been missing, or others than answered, for so long that somebody must look. */
export function isMissingTooLong(
  missing: readonly string[],
  { previous, now }: { readonly previous: readonly Condition[]; readonly now: number },
): boolean {
  if (missing.length === 0) return false;
  const since = parseTime(previous.find(({ type }) => type === APPLIED)?.lastTransitionTime);
  return since !== undefined && now - since >= LATE_SECONDS * 1000;
}

/** The condition that says what is missing, and what is not as it was answered, and since when. */
export function appliedCondition(
  missing: readonly string[],
  isLate: boolean,
  altered: readonly string[] = [],
): WantedCondition[] {
  if (missing.length === 0 && altered.length === 0) return [];
  const message = [
    ...(missing.length === 0 ? [] : [`not there yet: ${missing.join(', ')}`]),
    ...(altered.length === 0 ? [] : [`not as wanted yet: ${altered.join(', ')}`]),
  ].join('; ');
  return [{ type: APPLIED, status: 'False', reason: isLate ? 'ChildNotApplied' : 'Applying', message }];
}

/** What to say of children that do not come. */
export function notAppliedMessage(missing: readonly string[], of: string): string {
  return `${missing.join(', ')} could not be made: see the events of this ${of}; a quota or a rule of the cluster refuses it, or an object of that name is there already`;
}

/** What to say of children that others keep changing, or that cannot be changed any more. */
export function alteredMessage(altered: readonly string[], of: string): string {
  return `${altered.join(', ')} stays another than wanted: something else in the cluster changes it, or does not let it be changed; see the events of this ${of}`;
}
