import { issueLines } from '../kube/field-path.ts';
import { objectsOf, type SyncRequest } from '../kube/hook.ts';
import { KINDS } from '../kube/kinds.ts';
import { TRIGGER_NAME_RULE } from '../kube/names.ts';
import { firstRefusal, type Refusal, type RefusalRule } from '../kube/refusal.ts';
import { namespaceRefusal } from '../kube/related.ts';
import { deadLetterQueueOf } from './consumer.ts';
import { type TriggerSpec, triggerSpecSchema } from './schema.ts';
import { nonsenseIn } from './sense.ts';

/** What a Trigger says, where that can be read; and why it is not done, where it is not. */
export interface Acceptance {
  readonly spec: TriggerSpec | undefined;
  readonly refusal: Refusal | undefined;
}

interface Candidate {
  readonly owner: string;
  readonly spec: TriggerSpec;
  readonly isFunctionThere: boolean;
}

const RULES: readonly RefusalRule<Candidate>[] = [nonsense, ownDeadLetters, functionNotFound];

/** Judges a Trigger. An object may have been stored before a rule existed, so nothing is taken for granted. */
export function accept({ parent, related }: SyncRequest): Acceptance {
  const early = namespaceRefusal(parent, related);
  if (early !== undefined) return { spec: undefined, refusal: early };
  if (!TRIGGER_NAME_RULE.holds(parent.metadata.name)) return invalid(TRIGGER_NAME_RULE.message);
  const parsed = triggerSpecSchema.safeParse(parent.spec ?? {});
  if (!parsed.success) return invalid(issueLines('spec', parsed.error).join('; '));
  const spec = parsed.data;
  const isFunctionThere = objectsOf(related, KINDS.Function).some(
    ({ metadata }) => metadata.name === spec.functionRef && metadata.namespace === parent.metadata.namespace,
  );
  const owner = `${parent.metadata.namespace}.${parent.metadata.name}`;
  return { spec, refusal: firstRefusal(RULES, { owner, spec, isFunctionThere }) };
}

const invalid = (message: string): Acceptance => ({
  spec: undefined,
  refusal: { reason: 'InvalidSpec', message },
});

function nonsense({ spec }: Candidate): Refusal | undefined {
  const mistakes = nonsenseIn(spec).map(({ field, message }) => `spec.${field}: ${message}`);
  return mistakes.length === 0 ? undefined : { reason: 'InvalidSpec', message: mistakes.join('; ') };
}

/** As the schema has it of two names that are written out. Circles through several Triggers end by the count on their messages. */
function ownDeadLetters({ owner, spec: { queue, deadLetterQueue } }: Candidate): Refusal | undefined {
  if (deadLetterQueue !== undefined || queue !== deadLetterQueueOf(owner)) return undefined;
  const message =
    'spec.queue: is where the dead letters of this Trigger itself go; name another deadLetterQueue';
  return { reason: 'InvalidSpec', message };
}

function functionNotFound({ spec, isFunctionThere }: Candidate): Refusal | undefined {
  if (isFunctionThere) return undefined;
  return {
    reason: 'FunctionNotFound',
    message: `there is no Function ${spec.functionRef} in this namespace`,
  };
}
