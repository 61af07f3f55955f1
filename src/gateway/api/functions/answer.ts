import { z } from '@hono/zod-openapi';
import {
  FUNCTION_PHASES,
  type FunctionObject,
  type FunctionSpec,
  functionSpecSchema,
} from '../../../resources/function/schema.ts';
import { ANNOTATIONS } from '../../../resources/kube/labels.ts';
import type { TriggerObject } from '../../../resources/trigger/schema.ts';
import type { RuntimeCatalogue } from '../../../runtimes/catalogue.ts';
import { conditionAnswer, toConditions } from '../answer/condition.ts';
import { keyedValue } from './keyed-annotation.ts';
import { phaseOf } from './phase.ts';

const spec = functionSpecSchema.shape;
const integer = (description: string) => z.int().openapi({ type: 'integer', format: 'int32', description });
const quantities = z.object({ cpu: z.string().optional(), memory: z.string().optional() });

export const functionAnswer = z
  .object({
    name: z.string(),
    namespace: z.string(),
    runtime: z.string(),
    entrypoint: z.string().nullable().describe("Its own, or the runtime's."),
    env: z.record(z.string(), z.string()),
    secrets: z.array(z.string()),
    replicas: integer('How many pods are wanted while the function is not stopped.'),
    resources: z
      .object({ requests: quantities.optional(), limits: quantities.optional() })
      .nullable()
      .describe('Null for the defaults of the installation.'),
    timeout_seconds: integer('The time limit of one call.'),
    concurrency: integer('Calls at once in one pod.'),
    build: z.enum(spec.build.unwrap().options),
    build_timeout_seconds: integer('The time limit of a build.'),
    s3_key: z.string().nullable().describe('The build context that is wanted; null before the first upload.'),
    phase: z.enum(FUNCTION_PHASES).describe('Pending until the operator has seen the latest change.'),
    message: z.string().describe('Why, for a person.'),
    image: z.string().nullable().describe('The image that is deployed.'),
    code_hash: z.string().nullable().describe('The hash of the code under s3_key, where an upload made it.'),
    last_built_at: z.string().nullable().describe('When the image was built (RFC 3339, UTC).'),
    ready_replicas: integer('How many pods are ready.'),
    url: z.string().nullable().describe('Where an enabled http trigger lets it be called.'),
    conditions: z.array(conditionAnswer),
  })
  .openapi('Function', {
    example: {
      name: 'hello',
      namespace: 'sless-2bd806c97f0e00af',
      runtime: 'python3.11',
      entrypoint: 'handler.handle',
      env: { GREETING: 'hello' },
      secrets: [],
      replicas: 1,
      resources: null,
      timeout_seconds: 30,
      concurrency: 100,
      build: 'auto',
      build_timeout_seconds: 300,
      s3_key: 'contexts/sless-2bd806c97f0e00af/hello/20260301120000-0f343b0931126a20.tar.gz',
      phase: 'Ready',
      message: 'ready',
      image: 'registry.example.com/sless/sless-2bd806c97f0e00af/hello@sha256:9f86d081884c7d65',
      code_hash: '0f343b0931126a20f133d67c2b018a3b1cbd8f2d6c0c2f0c2d7d3bb2d5c7c6a1',
      last_built_at: '2026-03-01T12:00:31Z',
      ready_replicas: 1,
      url: 'https://sless.example.com/fn/sless-2bd806c97f0e00af/hello',
      conditions: [],
    },
  });

export type FunctionAnswer = z.infer<typeof functionAnswer>;

/** What the answer needs beside the object. */
export interface AnswerContext {
  readonly runtimes: RuntimeCatalogue;
  /** Triggers of the namespace; those of other functions are passed over. */
  readonly triggers: readonly TriggerObject[];
}

/** A function as REST shows it, with the defaults filled in. */
export function toFunctionAnswer(object: FunctionObject, context: AnswerContext): FunctionAnswer {
  const { metadata, status } = object;
  const settings = readSpec(object);
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    runtime: settings.runtime,
    entrypoint: settings.entrypoint ?? context.runtimes.get(settings.runtime)?.entrypoint ?? null,
    env: settings.env,
    secrets: settings.secrets,
    replicas: settings.replicas,
    resources: resourcesOf(settings),
    timeout_seconds: settings.timeoutSeconds,
    concurrency: settings.concurrency,
    build: settings.build,
    build_timeout_seconds: settings.buildTimeoutSeconds,
    s3_key: settings.s3Key ?? null,
    ...phaseOf(object),
    image: status?.image ?? null,
    code_hash: keyedValue(object, ANNOTATIONS.codeHash, settings.s3Key) ?? null,
    last_built_at: status?.lastBuiltAt ?? null,
    ready_replicas: status?.readyReplicas ?? 0,
    url: urlOf(metadata.name, context.triggers),
    conditions: toConditions(status?.conditions),
  };
}

/** What was stored before a rule existed is shown as it is: the status says what is wrong with it. */
function readSpec({ spec: stored }: FunctionObject): FunctionSpec {
  const parsed = functionSpecSchema.safeParse(stored);
  if (parsed.success) return parsed.data;
  const defaults = functionSpecSchema.parse({ runtime: 'unknown' });
  return { ...defaults, ...(stored as Partial<FunctionSpec>) };
}

function resourcesOf({ resources }: FunctionSpec): FunctionAnswer['resources'] {
  if (resources === undefined) return null;
  return {
    ...(resources.requests === undefined ? {} : { requests: definedOnly(resources.requests) }),
    ...(resources.limits === undefined ? {} : { limits: definedOnly(resources.limits) }),
  };
}

function definedOnly({ cpu, memory }: { cpu?: string | undefined; memory?: string | undefined }) {
  return { ...(cpu === undefined ? {} : { cpu }), ...(memory === undefined ? {} : { memory }) };
}

/** The hook of the http Trigger knows hosts and domains; what it wrote into its status is the address. */
function urlOf(name: string, triggers: readonly TriggerObject[]): string | null {
  const reachable = triggers.find(
    ({ spec: trigger, status }) =>
      trigger.functionRef === name &&
      trigger.type === 'http' &&
      trigger.enabled !== false &&
      status?.url !== undefined,
  );
  return reachable?.status?.url ?? null;
}
