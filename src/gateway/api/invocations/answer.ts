import { z } from '@hono/zod-openapi';
import { INVOCATION_OUTCOMES, INVOCATION_TRIGGERS, type Invocation } from '../../../ports/invocation-log.ts';

/** One call as REST tells it. */
export const invocationAnswer = z
  .object({
    id: z.uuid(),
    namespace: z.string(),
    function: z.string(),
    trigger: z.enum(INVOCATION_TRIGGERS).describe('What called: http, cron, event or job.'),
    trigger_name: z
      .string()
      .nullable()
      .describe("The trigger's or job's name; null for a plain call of /fn."),
    started_at: z.string().describe('RFC 3339, UTC, with milliseconds.'),
    duration_ms: z.number(),
    outcome: z
      .enum(INVOCATION_OUTCOMES)
      .describe(
        'ok: answered below 400; error: answered 400 or more; failed: no answer of its own, see reason.',
      ),
    status: z.int().nullable().describe('The HTTP status that the caller saw; null where there was none.'),
    reason: z.string().nullable().describe('An error code, when the call failed.'),
    bytes_in: z.int(),
    bytes_out: z.int(),
    attempt: z.int().describe('1 for the first try.'),
    request_id: z.string().nullable().describe('As in X-Request-Id and in the logs.'),
    trace_id: z.string().nullable().describe('Of the W3C trace context.'),
  })
  .openapi('Invocation', {
    example: {
      id: '0195531c-8f00-7d32-9c9e-5f3b6d1f0a11',
      namespace: 'sless-2bd806c97f0e00af',
      function: 'hello',
      trigger: 'http',
      trigger_name: null,
      started_at: '2026-03-01T12:02:00.125Z',
      duration_ms: 12.4,
      outcome: 'ok',
      status: 200,
      reason: null,
      bytes_in: 17,
      bytes_out: 27,
      attempt: 1,
      request_id: '6f1c3b0e-6a0c-4c52-9a55-0f2f5c1f7f0a',
      trace_id: null,
    },
  });

export function toInvocationAnswer(of: Invocation): z.infer<typeof invocationAnswer> {
  const { id, namespace, trigger, durationMs, outcome, bytesIn, bytesOut, attempt } = of;
  return {
    id,
    namespace,
    function: of.function,
    trigger,
    trigger_name: of.triggerName ?? null,
    started_at: new Date(of.startedAt).toISOString(),
    duration_ms: durationMs,
    outcome,
    status: of.status ?? null,
    reason: of.reason ?? null,
    bytes_in: bytesIn,
    bytes_out: bytesOut,
    attempt,
    request_id: of.requestId ?? null,
    trace_id: of.traceId ?? null,
  };
}
