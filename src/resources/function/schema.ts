import { z } from 'zod';
import { conditionSchema } from '../kube/conditions.ts';
import { DNS_1035_LABEL } from '../kube/names.ts';
import type { TypedObject } from '../kube/object.ts';
import { withRule } from '../kube/rule.ts';

/** 128 variables of at most 32 KiB keep the CEL cost within the API server's budget and the pod template small. */
const MAX_ENV = 128;
const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

const envSchema = withRule(
  z
    .record(z.string().max(256), z.string().max(32_768))
    .refine((env) => Object.keys(env).length <= MAX_ENV, `must have at most ${MAX_ENV} entries`)
    .meta({ maxProperties: MAX_ENV }),
  {
    rule: "self.all(name, name.matches('^[A-Za-z_][A-Za-z0-9_]*$') && !name.startsWith('SLESS_') && name != 'PORT')",
    message: 'names must be C identifiers; PORT and names that begin with SLESS_ are reserved',
    holds: (env) =>
      Object.keys(env).every((name) => ENV_NAME.test(name) && !name.startsWith('SLESS_') && name !== 'PORT'),
  },
).describe('Environment variables of the function, delivered literally. PORT and SLESS_* are reserved.');

const secretName = z
  .string()
  .max(253)
  .regex(/^fn-[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, 'must be the name of a Secret that begins with "fn-"');

const quantity = z
  .string()
  .max(32)
  .regex(
    /^[0-9]+(\.[0-9]+)?(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$/,
    'must be a Kubernetes quantity such as 250m, 0.5 or 128Mi',
  );

const quantities = z.strictObject({
  cpu: quantity.optional().describe('Processor time: 1 is one core, 250m a quarter of one.'),
  memory: quantity.optional().describe('Memory, such as 128Mi.'),
});

/** The spec of a Function, design.md section 2. Parsing fills in the defaults that hold for every Function. */
export const functionSpecSchema = z.object({
  runtime: z
    .string()
    .max(63)
    .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, 'must be the name of a runtime, such as python3.11')
    .describe('The runtime that runs the code, such as python3.11 or nodejs20.'),
  entrypoint: z
    .string()
    .max(253)
    .regex(
      /^[A-Za-z0-9_][A-Za-z0-9_-]*([./][A-Za-z0-9_][A-Za-z0-9_-]*)*\.[A-Za-z_][A-Za-z0-9_]*$/,
      'must be module.function; the module may lie in a folder',
    )
    .optional()
    .describe(
      "module.function; the module may lie in a folder. Without it: the runtime's own, handler.handle.",
    ),
  env: envSchema.default({}),
  secrets: z
    .array(secretName)
    .max(16)
    .default([])
    .meta({ 'x-kubernetes-list-type': 'set' })
    .describe(
      'Secrets of this namespace whose keys become environment variables; their names begin with fn-.',
    ),
  replicas: z.int32().min(0).default(1).describe('How many pods to run while the function is not stopped.'),
  resources: z
    .strictObject({
      requests: quantities.optional().describe('What a pod is promised.'),
      limits: quantities.optional().describe('What a pod may use at most.'),
    })
    .optional()
    .describe('Processor and memory of one pod. Without it: the defaults of the installation.'),
  timeoutSeconds: z
    .int32()
    .min(1)
    .max(3600)
    .default(60)
    .describe('The time limit of one call, obeyed by proxy, dispatcher and runtime alike.'),
  concurrency: z
    .int32()
    .min(1)
    .max(1000)
    .default(100)
    .describe('How many calls one pod takes at once; more are answered with 429.'),
  s3Key: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .describe(
      'Key of the build context in the object store, under contexts/{namespace}/{name}/. Uploads set it.',
    ),
  s3Bucket: z
    .string()
    .min(1)
    .max(63)
    .optional()
    .describe('Bucket of the build context: the one that is configured, or absent.'),
  build: z
    .enum(['auto', 'dockerfile', 'append'])
    .default('auto')
    .describe(
      'How the image is made: auto lets the upload choose, dockerfile runs pip or npm, append adds the code as a layer.',
    ),
  buildTimeoutSeconds: z.int32().min(30).max(3600).default(300).describe('The time limit of a build.'),
});

const historyEntrySchema = z.object({
  key: z.string().describe('The s3Key that was built.'),
  image: z.string().describe('The image, by digest where it is known.'),
  runtimeImage: z.string().describe('The runtime image that it stands on.'),
  builtAt: z.string().describe('When the build ended (RFC 3339, UTC).'),
  rebuild: z.string().optional().describe('The rebuild annotation that it answered.'),
});

/** The phases of a Function. */
export const FUNCTION_PHASES = ['Pending', 'Building', 'Deploying', 'Ready', 'Failed'] as const;

export const functionStatusSchema = z.object({
  observedGeneration: z.int().optional().describe('The metadata.generation that this status is about.'),
  phase: z.enum(FUNCTION_PHASES).optional().describe('Pending, Building, Deploying, Ready or Failed.'),
  message: z.string().optional().describe('Why, for a person.'),
  image: z.string().optional().describe('The image that is deployed.'),
  builtKey: z.string().optional().describe('The s3Key that the image was built from.'),
  runtimeImage: z.string().optional().describe('The runtime image that the image stands on.'),
  lastBuiltAt: z.string().optional().describe('When the image was built (RFC 3339, UTC).'),
  build: z
    .object({
      key: z.string().describe('The s3Key of the build that was last wanted.'),
      rebuild: z.string().optional().describe('Its rebuild annotation.'),
      job: z.string().describe('The name of its Job.'),
      uid: z.string().optional().describe('The uid of that Job, once it was seen.'),
      reason: z.string().optional().describe('Why it failed, once it did.'),
      message: z.string().optional().describe('The same for a person.'),
    })
    .optional()
    .describe('The build that is running or ended last.'),
  history: z.array(historyEntrySchema).max(10).optional().describe('The last ten good builds, newest first.'),
  replicas: z.int().optional().describe('How many pods are wanted.'),
  readyReplicas: z.int().optional().describe('How many pods are ready.'),
  conditions: z
    .array(conditionSchema)
    .optional()
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] })
    .describe('Built, Available, Ready, and Reconciling or Stalled as kstatus reads them.'),
});

/** A Function's spec with its defaults filled in. */
export type FunctionSpec = z.output<typeof functionSpecSchema>;
/** A Function's spec as a user writes it. */
export type FunctionSpecInput = z.input<typeof functionSpecSchema>;
export type FunctionStatus = z.infer<typeof functionStatusSchema>;
export type HistoryEntry = z.infer<typeof historyEntrySchema>;
export type FunctionPhase = (typeof FUNCTION_PHASES)[number];
/** A Function as the API server keeps it. Its spec may be from before a rule existed, so a reader parses it. */
export type FunctionObject = TypedObject<FunctionSpecInput, FunctionStatus>;

/** CEL rules on the whole object: what a schema of `metadata` cannot say. */
export const FUNCTION_OBJECT_RULES = [
  {
    rule: "self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$') && self.metadata.name.size() <= 40 && !self.metadata.name.contains('--')",
    message:
      'metadata.name must be a DNS label of at most 40 characters that begins with a letter and has no "--"',
    holds: (name: string) => DNS_1035_LABEL.test(name) && name.length <= 40 && !name.includes('--'),
  },
] as const;
