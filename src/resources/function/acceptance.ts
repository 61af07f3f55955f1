import { issueLines } from '../kube/field-path.ts';
import { FUNCTION_NAME_RULE, SECRET_PREFIX } from '../kube/names.ts';
import type { KubeObject } from '../kube/object.ts';
import { firstRefusal, type Refusal, type RefusalRule } from '../kube/refusal.ts';
import { namespaceRefusal } from '../kube/related.ts';
import type { Observed } from './observed.ts';
import { type FunctionSpec, functionSpecSchema } from './schema.ts';
import type { FunctionSettings } from './settings.ts';
import { isOwnKey, sourcePrefix } from './source-key.ts';

/** A spec that can be acted on, with its defaults; or why it cannot. */
export type Acceptance = { readonly spec: FunctionSpec } | { readonly refusal: Refusal };

interface Candidate {
  readonly parent: KubeObject;
  readonly spec: FunctionSpec;
  readonly triggers: readonly KubeObject[];
  readonly settings: FunctionSettings;
}

/** RabbitMQ takes a message back after 30 minutes without an ack; a call from a queue must have ended before. */
const MAX_EVENT_TIMEOUT_SECONDS = 1500;

const RULES: readonly RefusalRule<Candidate>[] = [
  unknownRuntime,
  forbiddenKey,
  forbiddenBucket,
  tooLongForEvents,
];

/** Judges a Function. An object may have been stored before a rule existed, so nothing is taken for granted. */
export function accept(observed: Observed, settings: FunctionSettings): Acceptance {
  const { parent, related, triggers } = observed;
  const early = namespaceRefusal(parent, related) ?? forbiddenName(parent) ?? forbiddenSecret(parent);
  if (early !== undefined) return { refusal: early };
  const parsed = functionSpecSchema.safeParse(parent.spec ?? {});
  if (!parsed.success) {
    return { refusal: { reason: 'InvalidSpec', message: issueLines('spec', parsed.error).join('; ') } };
  }
  const refusal = firstRefusal(RULES, { parent, spec: parsed.data, triggers, settings });
  return refusal === undefined ? { spec: parsed.data } : { refusal };
}

function forbiddenName(parent: KubeObject): Refusal | undefined {
  if (FUNCTION_NAME_RULE.holds(parent.metadata.name)) return undefined;
  return { reason: 'InvalidSpec', message: FUNCTION_NAME_RULE.message };
}

function forbiddenSecret(parent: KubeObject): Refusal | undefined {
  const names = (parent.spec as { readonly secrets?: unknown } | undefined)?.secrets;
  const foreign = Array.isArray(names)
    ? names.find((name) => !String(name).startsWith(SECRET_PREFIX))
    : undefined;
  if (foreign === undefined) return undefined;
  return {
    reason: 'ForbiddenSecret',
    message: `spec.secrets: ${foreign} cannot be used: only Secrets whose names begin with "${SECRET_PREFIX}" are for functions`,
  };
}

function unknownRuntime({ spec, settings }: Candidate): Refusal | undefined {
  if (settings.runtimes.has(spec.runtime)) return undefined;
  const known = [...settings.runtimes.keys()].sort().join(', ');
  return {
    reason: 'UnknownRuntime',
    message: `spec.runtime: there is no ${spec.runtime}; there is ${known}`,
  };
}

function forbiddenKey({ parent, spec }: Candidate): Refusal | undefined {
  const address = { namespace: parent.metadata.namespace ?? '', name: parent.metadata.name };
  if (spec.s3Key === undefined || isOwnKey(address, spec.s3Key)) return undefined;
  return { reason: 'ForbiddenSource', message: `spec.s3Key: must be a key below ${sourcePrefix(address)}` };
}

function forbiddenBucket({ spec, settings }: Candidate): Refusal | undefined {
  if (spec.s3Bucket === undefined || spec.s3Bucket === settings.bucket) return undefined;
  return { reason: 'ForbiddenSource', message: `spec.s3Bucket: must be ${settings.bucket}, or absent` };
}

function tooLongForEvents({ spec, triggers }: Candidate): Refusal | undefined {
  const event = triggers.find(
    (trigger) => (trigger.spec as { type?: unknown } | undefined)?.type === 'event',
  );
  if (event === undefined || spec.timeoutSeconds <= MAX_EVENT_TIMEOUT_SECONDS) return undefined;
  return {
    reason: 'InvalidSpec',
    message: `spec.timeoutSeconds: must be at most ${MAX_EVENT_TIMEOUT_SECONDS} with an event trigger (${event.metadata.name})`,
  };
}
