import { functionStatusSchema } from '../resources/function/schema.ts';
import type { KubeObject } from '../resources/kube/object.ts';

/** What became of one asked-for rebuild: `undefined` while it is under way. */
export type Outcome = { readonly built: true } | { readonly built: false; readonly reason: string };

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
