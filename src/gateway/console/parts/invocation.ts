import type { z } from '@hono/zod-openapi';
import type { invocationAnswer } from '../../api/invocations/answer.ts';

/** A call as REST answers it. */
export type InvocationAnswer = z.infer<typeof invocationAnswer>;

/** What a table of calls says of the outcome, for people. */
export function outcomeText({
  outcome,
  status,
  reason,
}: Pick<InvocationAnswer, 'outcome' | 'status' | 'reason'>): string {
  if (reason !== null) return reason;
  return outcome === 'ok' ? 'ok' : status === null ? outcome : `answered ${status}`;
}

/** The smallest of the values that so many of a hundred are not above. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? 0;
}
