import { z } from '@hono/zod-openapi';
import { functionName, triggerName } from '../../../resources/kube/names.ts';
import { type TriggerSpec, triggerSpecSchema } from '../../../resources/trigger/schema.ts';
import { nonsenseIn } from '../../../resources/trigger/sense.ts';
import { optional } from '../answer/field.ts';
import { invalidRequest } from '../answer/mistakes.ts';
import { snakeField } from '../answer/snake-case.ts';
import { fieldWriter, type Spec } from '../request/named-fields.ts';

const spec = triggerSpecSchema.shape;

/** What can be changed, by its REST name: the very schemas of the spec. `null` stands for the default. */
const settable = {
  enabled: optional(spec.enabled),
  schedule: optional(spec.schedule),
  time_zone: optional(spec.timeZone),
  payload: optional(spec.payload),
  concurrency_policy: optional(spec.concurrencyPolicy),
  queue: optional(spec.queue),
  prefetch: optional(spec.prefetch),
  max_attempts: optional(spec.maxAttempts),
  dead_letter_queue: optional(spec.deadLetterQueue),
  broker_secret: optional(spec.brokerSecret),
};

export const triggerCreate = z
  .strictObject({
    name: triggerName.describe('A DNS label of at most 52 characters.'),
    type: spec.type,
    function: functionName.describe('The name of a function of this namespace.'),
    ...settable,
  })
  .openapi('TriggerCreate', { example: { name: 'hello-http', type: 'http', function: 'hello' } });

export const triggerPatch = z.strictObject(settable).openapi('TriggerPatch', { example: { enabled: false } });

export type TriggerFields = z.infer<typeof triggerPatch>;
export const withFields = fieldWriter(Object.keys(spec));

/** @throws SlessError `InvalidRequest` with every mistake under its REST name */
export function checkSpec(value: Spec): TriggerSpec {
  const parsed = triggerSpecSchema.safeParse(value);
  if (parsed.success) return sensible(parsed.data);
  const issues = parsed.error.issues.map((issue) => ({ ...issue, message: snakeWords(issue.message) }));
  throw invalidRequest(issues, snakeField);
}

/** Rules over several fields name them in their messages. */
function snakeWords(message: string): string {
  return message.replace(/\b[a-z]+[A-Z]\w*/g, (word) =>
    Object.hasOwn(spec, word) ? snakeField(word) : word,
  );
}

function sensible(spec: TriggerSpec): TriggerSpec {
  const issues = nonsenseIn(spec).map(({ field, message }) => ({
    code: 'custom' as const,
    path: [field],
    message,
  }));
  if (issues.length > 0) throw invalidRequest(issues, snakeField);
  return spec;
}
