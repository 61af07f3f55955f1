import { functionStatusSchema } from '../resources/function/schema.ts';
import { ANNOTATIONS } from '../resources/kube/labels.ts';
import { annotationOf, type KubeObject } from '../resources/kube/object.ts';

/** What became of one asked-for rebuild: `undefined` while it is under way. */
export type Outcome = { readonly built: true } | { readonly built: false; readonly reason: string };

/** The words with which a run has asked for a rebuild: its id, and `{id}.2` and so on for those that failed before. */
export function isOfRun(rebuild: string | undefined, id: string): rebuild is string {
  return rebuild === id || rebuild?.startsWith(`${id}.`) === true;
}

/** What is to be asked for next by that run: nothing new while the last try is under way. */
export function nextWord(object: KubeObject, id: string): string {
  const last = annotationOf(object, ANNOTATIONS.rebuild);
  if (!isOfRun(last, id)) return id;
  if (outcomeOf(object, last)?.built !== false) return last;
  return `${id}.${Number(last.slice(id.length + 1) || 1) + 1}`;
}

/**
 * Reads the outcome of the rebuild of this id from the Function's status. A failure counts only when it is of this very
 * rebuild: what the status said before the operator saw the annotation is about another build.
 */
export function outcomeOf(object: KubeObject, id: string): Outcome | undefined {
  const status = functionStatusSchema.safeParse(object.status ?? {}).data ?? {};
  if (status.builtRebuild === id) return rolloutOf(status);
  const { build } = status;
  if (build?.rebuild !== id || build.reason === undefined) return undefined;
  return { built: false, reason: `${build.reason}: ${build.message ?? ''}` };
}

function rolloutOf({ phase, message = '' }: { phase?: string | undefined; message?: string | undefined }) {
  if (phase === 'Ready') return { built: true } as const;
  return phase === 'Failed' ? ({ built: false, reason: message } as const) : undefined;
}
