import { z } from '@hono/zod-openapi';
import { functionSpecSchema } from '../../../resources/function/schema.ts';
import { functionName } from '../../../resources/kube/names.ts';
import { optional } from '../answer/field.ts';
import { snakeField } from '../answer/snake-case.ts';

const spec = functionSpecSchema.shape;

/** What REST can set, by its REST name: the very schemas of the spec. `null` stands for the default. */
const settable = {
  entrypoint: optional(spec.entrypoint),
  env: optional(spec.env),
  secrets: optional(spec.secrets),
  replicas: optional(spec.replicas),
  resources: optional(spec.resources),
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

/** REST name → name in the spec. */
const SPEC_NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(spec).map((name) => [snakeField(name), name]),
);

export type FunctionFields = z.infer<typeof functionPatch>;
type Spec = Readonly<Record<string, unknown>>;

/** The spec with each named field replaced whole; `null` takes it out, so that its default holds. */
export function withFields(before: Spec, fields: FunctionFields): Spec {
  const after: Record<string, unknown> = { ...before };
  for (const [field, value] of Object.entries(fields)) {
    const name = SPEC_NAMES[field] ?? field;
    if (value === null) delete after[name];
    else if (value !== undefined) after[name] = value;
  }
  return after;
}
