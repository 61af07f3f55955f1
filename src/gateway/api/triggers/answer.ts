import { z } from '@hono/zod-openapi';
import { TRIGGER_TYPES, type TriggerObject, triggerSpecSchema } from '../../../resources/trigger/schema.ts';
import { conditionAnswer, toConditions } from '../answer/condition.ts';
import type { CronRuns, CronRunsOf } from './cron-runs.ts';

const spec = triggerSpecSchema.shape;
const integer = () => z.int().nullable().meta({ type: 'integer', format: 'int32', nullable: true });

export const triggerAnswer = z
  .object({
    name: z.string(),
    namespace: z.string(),
    type: z.enum(TRIGGER_TYPES),
    function: z.string(),
    enabled: z.boolean(),
    schedule: z.string().nullable(),
    time_zone: z.string().nullable(),
    payload: z.string().nullable(),
    concurrency_policy: z.enum(spec.concurrencyPolicy.unwrap().options).nullable(),
    queue: z.string().nullable(),
    prefetch: integer(),
    max_attempts: integer(),
    dead_letter_queue: z.string().nullable(),
    broker_secret: z.string().nullable(),
    active: z.boolean().describe('Whether calls come through: enabled, and the function exists.'),
    url: z
      .string()
      .nullable()
      .describe(
        'http: where the function is reached while `active`; the same while disabled, null while the function does not exist.',
      ),
    message: z.string().describe('Why, for a person.'),
    last_run: z.string().nullable().describe('cron: when it last ran (RFC 3339, UTC).'),
    conditions: z.array(conditionAnswer),
  })
  .openapi('Trigger', {
    example: {
      name: 'hello-nightly',
      namespace: 'sless-2bd806c97f0e00af',
      type: 'cron',
      function: 'hello',
      enabled: true,
      schedule: '0 3 * * *',
      time_zone: 'Europe/Berlin',
      payload: '{"full": true}',
      concurrency_policy: null,
      queue: null,
      prefetch: null,
      max_attempts: null,
      dead_letter_queue: null,
      broker_secret: null,
      active: true,
      url: null,
      message: 'calls hello by its schedule',
      last_run: '2026-03-01T02:00:00Z',
      conditions: [],
    },
  });

export type TriggerAnswer = z.infer<typeof triggerAnswer>;

/** A trigger as REST shows it. Fields of other types, and those left to their default, are null. */
export function toTriggerAnswer(
  { metadata, spec: stored, status }: TriggerObject,
  runsOf?: CronRunsOf,
): TriggerAnswer {
  const runs = runsOf?.get(metadata.uid ?? '');
  const isSeen = metadata.generation === undefined || status?.observedGeneration === metadata.generation;
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    type: stored.type,
    function: stored.functionRef,
    enabled: stored.enabled ?? true,
    schedule: stored.schedule ?? null,
    time_zone: stored.timeZone ?? null,
    payload: stored.payload ?? null,
    concurrency_policy: stored.concurrencyPolicy ?? null,
    queue: stored.queue ?? null,
    prefetch: stored.prefetch ?? null,
    max_attempts: stored.maxAttempts ?? null,
    dead_letter_queue: stored.deadLetterQueue ?? null,
    broker_secret: stored.brokerSecret ?? null,
    active: isSeen && (status?.active ?? false),
    url: status?.url ?? null,
    message: isSeen ? messageOf(status, runs) : 'waiting for the operator',
    last_run: runs?.lastRun ?? null,
    conditions: toConditions(status?.conditions),
  };
}

function messageOf(status: TriggerObject['status'], runs: CronRuns | undefined): string {
  const message = status?.message ?? '';
  return runs?.failure === undefined ? message : `${message}; the last run failed: ${runs.failure}`;
}
