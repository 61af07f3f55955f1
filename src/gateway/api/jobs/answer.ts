import { z } from '@hono/zod-openapi';
import { FUNCTION_JOB_PHASES, type FunctionJobObject } from '../../../resources/function-job/schema.ts';
import { conditionAnswer, toConditions } from '../answer/condition.ts';

const time = (description: string) => z.string().nullable().describe(description);

export const jobAnswer = z
  .object({
    name: z.string(),
    namespace: z.string(),
    function: z.string(),
    event_json: z.string().nullable(),
    run_id: z.int().meta({ type: 'integer', format: 'int64' }).describe('The run that is wanted.'),
    retries: z.int(),
    timeout_seconds: z.int(),
    ttl_seconds_after_finished: z.int().nullable().meta({ type: 'integer', format: 'int32', nullable: true }),
    phase: z.enum(FUNCTION_JOB_PHASES),
    result: z.string().nullable().describe('What the function returned, as JSON text of at most 4 KiB.'),
    message: z.string().describe('Why, for a person.'),
    attempts: z.int().describe('How many pods the run took.'),
    start_time: time('When the run began (RFC 3339, UTC).'),
    completion_time: time('When the run ended (RFC 3339, UTC).'),
    conditions: z.array(conditionAnswer),
  })
  .openapi('Job', {
    example: {
      name: 'migrate',
      namespace: 'sless-2bd806c97f0e00af',
      function: 'hello',
      event_json: '{"to": 7}',
      run_id: 1,
      retries: 0,
      timeout_seconds: 600,
      ttl_seconds_after_finished: null,
      phase: 'Succeeded',
      result: '{"migrated": 12}',
      message: 'run 1 succeeded',
      attempts: 1,
      start_time: '2026-03-01T12:01:00Z',
      completion_time: '2026-03-01T12:01:09Z',
      conditions: [],
    },
  });

export type JobAnswer = z.infer<typeof jobAnswer>;

/** In the words of REST, where the fields of objects have other names. */
function messageOf(runId: number, known: FunctionJobObject['status']): string {
  const isUnasked = runId === 0 && (known === undefined || known.phase === 'Skipped');
  if (isUnasked) return 'nothing is run until run_id is 1 or more: a PATCH of it starts a run';
  return known === undefined ? 'waiting for the operator' : (known.message ?? '');
}

/** A job as REST shows it. Until the operator has seen the wanted run, nothing of an earlier one is shown as if it were of this. */
export function toJobAnswer({ metadata, spec, status }: FunctionJobObject): JobAnswer {
  const isSeen = metadata.generation === undefined || status?.observedGeneration === metadata.generation;
  const known = isSeen ? status : undefined;
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    function: spec.functionRef,
    event_json: spec.eventJSON ?? null,
    run_id: spec.runID ?? 0,
    retries: spec.retries ?? 0,
    timeout_seconds: spec.timeoutSeconds ?? 600,
    ttl_seconds_after_finished: spec.ttlSecondsAfterFinished ?? null,
    phase: known?.phase ?? 'Pending',
    result: known?.result ?? null,
    message: messageOf(spec.runID ?? 0, known),
    attempts: known?.attempts ?? 0,
    start_time: known?.startTime ?? null,
    completion_time: known?.completionTime ?? null,
    conditions: toConditions(status?.conditions),
  };
}
