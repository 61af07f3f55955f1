import { z } from '@hono/zod-openapi';
import { functionSpecSchema } from '../../../resources/function/schema.ts';
import { functionName } from '../../../resources/kube/names.ts';
import { optional } from '../answer/field.ts';
import { fieldWriter } from '../request/named-fields.ts';

const spec = functionSpecSchema.shape;

const amounts = spec.resources.unwrap().shape;

/** The API server drops fields that it does not know; REST says so. */
const resources = z
  .strictObject({
    requests: z.strictObject(amounts.requests.unwrap().shape).optional().describe('What a pod is promised.'),
    limits: z.strictObject(amounts.limits.unwrap().shape).optional().describe('What a pod may use at most.'),
  })
  .superRefine((value, context) => {
    // Rules over several amounts; those over one are part of the shapes above.
    const { error } = spec.resources.unwrap().safeParse(value);
    for (const { message, path } of error?.issues ?? [])
      if (path.length === 0) context.addIssue({ code: 'custom', message });
  })
  .describe('Processor and memory of one pod. Without it: the defaults of the installation.');

/** What REST can set, by its REST name: the very schemas of the spec. `null` stands for the default. */
const settable = {
  entrypoint: optional(spec.entrypoint),
  env: optional(spec.env),
  secrets: optional(spec.secrets),
  replicas: optional(spec.replicas),
  resources: optional(resources),
  timeout_seconds: optional(spec.timeoutSeconds),
  concurrency: optional(spec.concurrency),
  build: optional(spec.build),
  build_timeout_seconds: optional(spec.buildTimeoutSeconds),
  s3_key: optional(spec.s3Key),
};

const example = { name: 'hello', runtime: 'python3.11', env: { GREETING: 'hello' }, timeout_seconds: 30 };

export const functionCreate = z
  .strictObject({
    name: functionName.describe(
      'A DNS label of at most 40 characters without "--", beginning with a letter.',
    ),
    runtime: spec.runtime,
    ...settable,
  })
  .openapi('FunctionCreate', { example });

export const functionPatch = z
  .strictObject({ runtime: spec.runtime.optional(), ...settable })
  .openapi('FunctionPatch', { example: { replicas: 2, env: null } });

export type FunctionFields = z.infer<typeof functionPatch>;

export const withFields = fieldWriter(Object.keys(spec));
