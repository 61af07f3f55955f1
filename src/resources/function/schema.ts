import { z } from 'zod';
import { conditionsOf } from '../kube/conditions.ts';
import { secretName } from '../kube/names.ts';
import type { TypedObject } from '../kube/object.ts';
import { compareQuantities, QUANTITY_PATTERN, quantityWithin } from '../kube/quantity.ts';
import { withRule } from '../kube/rule.ts';
import { boundedText, codePoints } from '../kube/text.ts';

const MAX_ENV = 128;
/** Far beyond what one function needs, and short of what would take a cluster down by one slip of a key. */
const MAX_REPLICAS = 1000;
const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
/**
 * Metacontroller keeps a copy of the Deployment as JSON in one of its annotations, and all annotations of an object share
 * 256 KiB. JSON needs at most 6 bytes for a character, so 32 KiB of characters always fit.
 */
const MAX_ENV_CHARACTERS = 32_768;

const ENV_NAMES_MESSAGE =
  'names must be C identifiers of at most 128 characters; PORT, __proto__ and names that begin with SLESS_ are reserved';

const isEnvName = (name: string): boolean =>
  ENV_NAME.test(name) && !name.startsWith('SLESS_') && name !== 'PORT';

const envRules = [
  {
    rule: "self.all(name, name.matches('^[A-Za-z_][A-Za-z0-9_]{0,127}$') && !name.startsWith('SLESS_') && name != 'PORT' && name != '__proto__')",
    message: ENV_NAMES_MESSAGE,
    holds: (env: Record<string, string>) => Object.keys(env).every(isEnvName),
    culprits: (env: Record<string, string>) => Object.keys(env).filter((name) => !isEnvName(name)),
  },
  {
    rule: "self.all(name, !self[name].contains('\\u0000'))",
    message: 'values must not contain the NUL character, which no process can receive',
    holds: (env: Record<string, string>) => Object.values(env).every((value) => !value.includes('\0')),
    culprits: (env: Record<string, string>) => Object.keys(env).filter((name) => env[name]?.includes('\0')),
  },
  {
    rule: `self.map(name, name.size() + self[name].size()).sum() <= ${MAX_ENV_CHARACTERS}`,
    message: `names and values together must have at most ${MAX_ENV_CHARACTERS} characters`,
    holds: (env: Record<string, string>) =>
      Object.entries(env).reduce((sum, [name, value]) => sum + codePoints(name) + codePoints(value), 0) <=
      MAX_ENV_CHARACTERS,
  },
];

const envRecord = envRules.reduce(
  (schema, rule) => withRule(schema, rule),
  z
    .record(z.string(), boundedText(0, MAX_ENV_CHARACTERS))
    .refine((env) => Object.keys(env).length <= MAX_ENV, `must have at most ${MAX_ENV} entries`)
    .meta({ maxProperties: MAX_ENV }),
);

/** zod takes the name `__proto__` out of a record before any rule sees it, so it is looked for in front of the record. */
const envSchema = z
  .preprocess((env, context) => {
    if (typeof env === 'object' && env !== null && Object.hasOwn(env, '__proto__')) {
      context.addIssue({ code: 'custom', message: ENV_NAMES_MESSAGE, path: ['__proto__'] });
    }
    return env as z.input<typeof envRecord>;
  }, envRecord)
  .describe('Environment variables of the function, delivered literally. PORT and SLESS_* are reserved.');

/** Bounds catch what is a typing mistake in practice: `128m` of memory, or 500 cores. */
const quantity = (min: string, max: string) =>
  withRule(
    z.string().max(32).regex(QUANTITY_PATTERN, 'must be a Kubernetes quantity such as 250m, 0.5 or 128Mi'),
    {
      rule: `quantity(self).compareTo(quantity('${min}')) >= 0 && quantity(self).compareTo(quantity('${max}')) <= 0`,
      message: `must lie between ${min} and ${max}`,
      holds: (text) => quantityWithin(text, min, max),
    },
  ).optional();

const quantities = z.object({
  cpu: quantity('1m', '1k').describe('Processor time: 1 is one core, 250m a quarter of one.'),
  memory: quantity('1Mi', '1Pi').describe('Memory, such as 128Mi.'),
});

const isWithinLimit = (request: string | undefined, limit: string | undefined): boolean =>
  request === undefined || limit === undefined || (compareQuantities(request, limit) ?? 0) <= 0;

const requestWithinLimit = (name: 'cpu' | 'memory') => ({
  rule: `!has(self.requests) || !has(self.limits) || !has(self.requests.${name}) || !has(self.limits.${name}) || quantity(self.requests.${name}).compareTo(quantity(self.limits.${name})) <= 0`,
  message: `requests.${name} must not be more than limits.${name}`,
  holds: (resources: { requests?: Amounts | undefined; limits?: Amounts | undefined }) =>
    isWithinLimit(resources.requests?.[name], resources.limits?.[name]),
});

type Amounts = z.output<typeof quantities>;

const resourcesSchema = [requestWithinLimit('cpu'), requestWithinLimit('memory')]
  .reduce(
    (schema, rule) => withRule(schema, rule),
    z.object({
      requests: quantities.optional().describe('What a pod is promised.'),
      limits: quantities.optional().describe('What a pod may use at most.'),
    }),
  )
  .optional()
  .describe('Processor and memory of one pod. Without it: the defaults of the installation.');

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
  // Not `default`, which is left out of the JSON schema of what is looked at first.
  env: envSchema.prefault({}),
  secrets: z
    .array(secretName)
    .max(16)
    .refine((names) => new Set(names).size === names.length, 'must not name a Secret twice')
    .meta({ 'x-kubernetes-list-type': 'set' })
    .default([])
    .describe(
      'Secrets of this namespace whose keys become environment variables; their names begin with fn-.',
    ),
  replicas: z
    .int32()
    .min(0)
    .max(MAX_REPLICAS)
    .default(1)
    .describe('How many pods to run while the function is not stopped.'),
  resources: resourcesSchema,
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
  s3Key: boundedText(1, 512)
    .optional()
    .describe(
      'Key of the build context in the object store, under contexts/{namespace}/{name}/. Uploads set it.',
    ),
  s3Bucket: boundedText(1, 63)
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
  served: z.boolean().optional().describe('True once a pod of it has taken calls.'),
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
  builtRebuild: z.string().optional().describe('The rebuild annotation that the image answers.'),
  rebuild: z.string().optional().describe('The rebuild annotation that this status speaks of.'),
  restart: z.string().optional().describe('The restart annotation that this status speaks of.'),
  build: z
    .object({
      key: z.string().describe('The s3Key of the build that was last wanted.'),
      rebuild: z.string().optional().describe('Its rebuild annotation.'),
      runtimeImage: z.string().optional().describe('The runtime image that it stands on.'),
      job: z.string().describe('The name of its Job.'),
      uid: z.string().optional().describe('The uid of that Job, once it was seen.'),
      reason: z.string().optional().describe('Why it failed, once it did.'),
      message: z.string().optional().describe('The same for a person.'),
    })
    .optional()
    .describe('The build that is running or ended last.'),
  droppedJobs: z
    .array(z.string().describe('The uid of a Job.'))
    .optional()
    .describe('The uids of build Jobs that run for nothing: they go once this is seen.'),
  history: z
    .array(historyEntrySchema)
    .max(10)
    .optional()
    .describe(
      'The last ten good builds, newest first: one a key, and always the one that serves, be there a newer one of its key.',
    ),
  serving: z
    .object({ key: z.string().describe('Its s3Key.'), image: z.string().describe('Its image.') })
    .optional()
    .describe('The version whose pods take calls, or took them last.'),
  timeoutSeconds: z.int().optional().describe('The time limit of one call that its pods are given.'),
  concurrency: z.int().optional().describe('How many calls at once one of its pods is given.'),
  replicas: z.int().optional().describe('How many pods are wanted.'),
  readyReplicas: z.int().optional().describe('How many pods are ready.'),
  conditions: conditionsOf(
    'Built, Available, Ready, Reconciling or Stalled as kstatus reads them, and Applied while a child is missing.',
  ),
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
