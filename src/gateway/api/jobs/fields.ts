import { z } from '@hono/zod-openapi';
import { eventMistake } from '../../../resources/function-job/acceptance.ts';
import { type FunctionJobSpec, functionJobSpecSchema } from '../../../resources/function-job/schema.ts';
import { functionJobName, functionName } from '../../../resources/kube/names.ts';
import { optional } from '../answer/field.ts';
import { invalidRequest } from '../answer/mistakes.ts';
import { snakeField } from '../answer/snake-case.ts';
import { fieldWriter, type Spec } from '../request/named-fields.ts';

const spec = functionJobSpecSchema.shape;

/** What can be changed, by its REST name: the very schemas of the spec. `null` stands for the default. */
const settable = {
  event_json: optional(spec.eventJSON),
  run_id: optional(spec.runID),
  retries: optional(spec.retries),
  timeout_seconds: optional(spec.timeoutSeconds),
  ttl_seconds_after_finished: optional(spec.ttlSecondsAfterFinished),
};

export const jobCreate = z
  .strictObject({
    name: functionJobName.describe('A DNS label of at most 40 characters.'),
    function: functionName.describe('The name of a function of this namespace.'),
    ...settable,
  })
  .openapi('JobCreate', {
    example: { name: 'migrate', function: 'hello', event_json: '{"to": 7}', run_id: 1 },
  });

export const jobPatch = z.strictObject(settable).openapi('JobPatch', { example: { run_id: 2 } });

export const withFields = fieldWriter(Object.keys(spec));

/** @throws SlessError `InvalidRequest` with every mistake under its REST name */
export function checkSpec(value: Spec): FunctionJobSpec {
  const parsed = functionJobSpecSchema.safeParse(value);
  if (!parsed.success) throw invalidRequest(parsed.error.issues, snakeField);
  const message = eventMistake(parsed.data);
  if (message === undefined) return parsed.data;
  throw invalidRequest([{ code: 'custom', path: ['eventJSON'], message }], snakeField);
}
