import { z } from 'zod';
import { conditionsOf } from '../kube/conditions.ts';
import { functionRef, secretName } from '../kube/names.ts';
import type { TypedObject } from '../kube/object.ts';
import { immutable, withRule } from '../kube/rule.ts';
import { boundedText, jsonText } from '../kube/text.ts';
import { isSchedule, SCHEDULE_PATTERN } from './schedule.ts';
import { isTimeZone, NO_ZONE_PATTERN, TIME_ZONE_PATTERN } from './time-zone.ts';

export const TRIGGER_TYPES = ['http', 'cron', 'event'] as const;

/** Metacontroller keeps a copy of the ConfigMap that holds it in an annotation. */
const MAX_PAYLOAD_KIB = 64;

const payload = jsonText(MAX_PAYLOAD_KIB);

const schedule = withRule(boundedText(1, 128), {
  rule: `self.matches(r'${SCHEDULE_PATTERN}')`,
  message:
    'must be five fields (minute, hour, day of month, month, day of week) such as "30 2 * * 1-5", or @hourly, @daily, @weekly, @monthly, @yearly; days of the week are 0 (Sunday) to 6 or sun to sat',
  holds: isSchedule,
});

const timeZone = withRule(boundedText(1, 64), {
  // An unknown zone makes getFullYear fail, and a rule that fails refuses the object.
  rule: `self.matches(r'${TIME_ZONE_PATTERN}') && !self.matches(r'${NO_ZONE_PATTERN}') && self.lowerAscii() != 'local' && timestamp('2000-06-01T00:00:00Z').getFullYear(self) == 2000`,
  message: 'must be the name of an IANA time zone such as Europe/Berlin',
  holds: isTimeZone,
});

const fields = z.object({
  type: immutable(z.enum(TRIGGER_TYPES)).describe(
    'What calls the function: http, cron or event. It cannot be changed.',
  ),
  functionRef: immutable(functionRef).describe(
    'The name of a Function of this namespace. It cannot be changed.',
  ),
  enabled: z
    .boolean()
    .default(true)
    .describe('Whether the trigger calls. A function that has triggers, and none enabled, is stopped.'),
  schedule: schedule.optional().describe('cron: five fields, as Kubernetes reads them.'),
  timeZone: timeZone.optional().describe('cron: an IANA time zone. Without it: UTC.'),
  payload: payload.optional().describe('cron: the JSON text that is posted, at most 64 KiB. Without it: {}.'),
  concurrencyPolicy: z
    .enum(['Allow', 'Forbid', 'Replace'])
    .optional()
    .describe('cron: what to do when the run before has not ended. Without it: Forbid.'),
  queue: boundedText(1, 255).optional().describe('event: the queue to consume.'),
  prefetch: z
    .int32()
    .min(1)
    .max(1000)
    .optional()
    .describe('event: messages in flight at once. Without it: 10.'),
  maxAttempts: z
    .int32()
    .min(1)
    .max(100)
    .optional()
    .describe('event: tries before the dead letter. Without it: 5.'),
  deadLetterQueue: boundedText(1, 255)
    .optional()
    .describe('event: where messages go that could not be handled.'),
  brokerSecret: secretName
    .optional()
    .describe('event: a Secret of this namespace with the key url, for a broker of your own.'),
});

const CRON_FIELDS = ['schedule', 'timeZone', 'payload', 'concurrencyPolicy'] as const;
const EVENT_FIELDS = ['queue', 'prefetch', 'maxAttempts', 'deadLetterQueue', 'brokerSecret'] as const;

type Fields = z.output<typeof fields>;

const celAbsent = (names: readonly string[]) => names.map((name) => `!has(self.${name})`).join(' && ');
const absent = (spec: Fields, names: readonly (keyof Fields)[]) =>
  names.every((name) => spec[name] === undefined);

/**
 * The spec of a Trigger, design.md section 2. Defaults that belong to one type are applied in its hook: a schema
 * default would be filled in before the rules below look.
 */
export const triggerSpecSchema = [
  {
    rule: "self.type != 'cron' || has(self.schedule)",
    message: 'a cron trigger needs schedule',
    holds: (spec: Fields) => spec.type !== 'cron' || spec.schedule !== undefined,
  },
  {
    rule: "self.type != 'event' || has(self.queue)",
    message: 'an event trigger needs queue',
    holds: (spec: Fields) => spec.type !== 'event' || spec.queue !== undefined,
  },
  {
    rule: `self.type == 'cron' || (${celAbsent(CRON_FIELDS)})`,
    message: `${CRON_FIELDS.join(', ')} belong to a cron trigger alone`,
    holds: (spec: Fields) => spec.type === 'cron' || absent(spec, CRON_FIELDS),
  },
  {
    rule: `self.type == 'event' || (${celAbsent(EVENT_FIELDS)})`,
    message: `${EVENT_FIELDS.join(', ')} belong to an event trigger alone`,
    holds: (spec: Fields) => spec.type === 'event' || absent(spec, EVENT_FIELDS),
  },
  {
    rule: '!has(self.queue) || !has(self.deadLetterQueue) || self.queue != self.deadLetterQueue',
    message: 'deadLetterQueue must be another queue than queue',
    holds: (spec: Fields) => spec.queue === undefined || spec.queue !== spec.deadLetterQueue,
  },
].reduce((schema, rule) => withRule(schema, rule), fields);

export const triggerStatusSchema = z.object({
  observedGeneration: z.int().optional().describe('The metadata.generation that this status is about.'),
  active: z
    .boolean()
    .optional()
    .describe('Whether calls come through: enabled, the function exists, and what calls it is there.'),
  url: z
    .string()
    .optional()
    .describe(
      'http: where the function is reached while active; it stays the same while disabled, and there is none while the function does not exist.',
    ),
  message: z.string().optional().describe('Why, for a person.'),
  consumer: z.string().optional().describe('event: Pending, Connected, or why messages do not come through.'),
  conditions: conditionsOf(
    'Ready, Reconciling or Stalled as kstatus reads them, and Applied while a child is missing.',
  ),
});

export type TriggerSpec = z.output<typeof triggerSpecSchema>;
export type TriggerSpecInput = z.input<typeof triggerSpecSchema>;
export type TriggerStatus = z.infer<typeof triggerStatusSchema>;
export type TriggerType = (typeof TRIGGER_TYPES)[number];
export type TriggerObject = TypedObject<TriggerSpecInput, TriggerStatus>;
