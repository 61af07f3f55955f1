import { z } from 'zod';

/** A condition as Kubernetes defines it (metav1.Condition). */
export const conditionSchema = z.object({
  type: z.string().describe('What the condition is about.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('True, False or Unknown.'),
  reason: z.string().describe('One word for the status, from the table of error codes where it failed.'),
  message: z.string().describe('The same for a person.'),
  observedGeneration: z.int().optional().describe('The metadata.generation that was looked at.'),
  lastTransitionTime: z.string().describe('When the status last changed (RFC 3339, UTC).'),
});

/** The conditions of a status: one of each type, in no order that matters to the API server. */
export const conditionsOf = (description: string) =>
  z
    .array(conditionSchema)
    .optional()
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] })
    .describe(description);

/** The conditions of a child whose controller is Kubernetes' own: it may leave out more than ours do. None, where there are none yet. */
export const observedConditions = z
  .array(
    z.object({
      type: z.string(),
      status: z.string(),
      reason: z.string().optional(),
      message: z.string().optional(),
      lastTransitionTime: z.string().optional(),
    }),
  )
  .default([]);

export type Condition = z.infer<typeof conditionSchema>;

/** What a hook decides about one condition; the time of the last transition is worked out from the previous one. */
export type WantedCondition = Omit<Condition, 'lastTransitionTime' | 'observedGeneration'>;

interface ConditionContext {
  readonly previous: readonly Condition[];
  readonly generation: number | undefined;
  /** RFC 3339, whole seconds. */
  readonly now: string;
}

/**
 * The wanted conditions, sorted by type, each keeping the transition time of its predecessor while its status is
 * the same. Only this rule keeps a clock out of a quiet status.
 */
export function nextConditions(wanted: readonly WantedCondition[], context: ConditionContext): Condition[] {
  const { previous, generation, now } = context;
  return wanted
    .map((condition) => {
      const before = previous.find((known) => known.type === condition.type);
      const unchanged = before?.status === condition.status;
      return {
        type: condition.type,
        status: condition.status,
        reason: condition.reason,
        message: condition.message,
        ...(generation === undefined ? {} : { observedGeneration: generation }),
        lastTransitionTime: unchanged ? before.lastTransitionTime : now,
      };
    })
    .sort((a, b) => (a.type < b.type ? -1 : 1));
}
