import type { z } from 'zod';

const IMMUTABLE = 'cannot be changed';

/** One line of `x-kubernetes-validations`. */
export interface CelRule {
  readonly rule: string;
  readonly message: string;
}

interface Rule<T> extends CelRule {
  /** The same rule for zod, which REST and local mode run instead of CEL. */
  readonly holds: (value: T) => boolean;
  /** The members that break it, which zod's mistakes then name one by one. CEL names the whole. */
  readonly culprits?: (value: T) => readonly string[];
}

/**
 * The schema with one more rule, said twice side by side: as CEL for the API server and as a refinement for zod.
 * Both carry the same message. Rules added earlier are kept.
 */
export function withRule<S extends z.ZodType>(schema: S, rule: Rule<z.output<S>>): S {
  const earlier = (schema.meta()?.['x-kubernetes-validations'] ?? []) as CelRule[];
  return schema
    .superRefine((value, context) => {
      if (rule.holds(value)) return;
      const paths = rule.culprits?.(value).map((name) => [name]) ?? [[]];
      for (const path of paths) context.addIssue({ code: 'custom', message: rule.message, path });
    })
    .meta({ 'x-kubernetes-validations': [...earlier, { rule: rule.rule, message: rule.message }] }) as S;
}

/**
 * The schema of a field that keeps the value it was created with. CEL says so by a transition rule, which the API server runs on
 * updates alone; `changedImmutables` in `validate.ts` is its twin.
 */
export function immutable<S extends z.ZodType>(schema: S): S {
  const earlier = (schema.meta()?.['x-kubernetes-validations'] ?? []) as CelRule[];
  const rule = { rule: 'self == oldSelf', message: IMMUTABLE };
  return schema.meta({ 'x-kubernetes-validations': [...earlier, rule] }) as S;
}

/** Whether a field of this schema keeps the value it was created with. */
export function isImmutable(schema: z.ZodType): boolean {
  const rules = (schema.meta()?.['x-kubernetes-validations'] ?? []) as CelRule[];
  return rules.some((rule) => rule.message === IMMUTABLE);
}
