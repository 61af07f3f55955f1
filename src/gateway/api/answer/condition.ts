import { z } from '@hono/zod-openapi';
import type { Condition } from '../../../resources/kube/conditions.ts';

/** A condition as Kubernetes defines it, in snake_case. */
export const conditionAnswer = z
  .object({
    type: z.string().describe('What the condition is about.'),
    status: z.enum(['True', 'False', 'Unknown']),
    reason: z.string().describe('One word for the status, from the table of error codes where it failed.'),
    message: z.string().describe('The same for a person.'),
    last_transition_time: z.string().describe('When the status last changed (RFC 3339, UTC).'),
  })
  .openapi('Condition', {
    example: {
      type: 'Ready',
      status: 'True',
      reason: 'Ready',
      message: 'ready',
      last_transition_time: '2026-03-01T12:00:42Z',
    },
  });

/** See `conditionAnswer`. */
export function toConditions(conditions: readonly Condition[] = []): z.infer<typeof conditionAnswer>[] {
  return conditions.map(({ type, status, reason, message, lastTransitionTime }) => ({
    type,
    status,
    reason,
    message,
    last_transition_time: lastTransitionTime,
  }));
}
