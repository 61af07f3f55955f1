import { issueLines } from '../kube/field-path.ts';
import { FUNCTION_JOB_NAME_RULE } from '../kube/names.ts';
import type { Refusal } from '../kube/refusal.ts';
import { namespaceRefusal } from '../kube/related.ts';
import { jsonTextMistake } from '../kube/text.ts';
import type { Observed } from './observed.ts';
import { type FunctionJobSpec, functionJobSpecSchema } from './schema.ts';

/** A spec that can be acted on, with its defaults; or why it cannot. */
export type Acceptance = { readonly spec: FunctionJobSpec } | { readonly refusal: Refusal };

/** Judges a FunctionJob. An object may have been stored before a rule existed, so nothing is taken for granted. */
export function accept({ parent, related }: Observed): Acceptance {
  const early = namespaceRefusal(parent, related);
  if (early !== undefined) return { refusal: early };
  if (!FUNCTION_JOB_NAME_RULE.holds(parent.metadata.name)) return invalid(FUNCTION_JOB_NAME_RULE.message);
  const parsed = functionJobSpecSchema.safeParse(parent.spec ?? {});
  if (!parsed.success) return invalid(issueLines('spec', parsed.error).join('; '));
  const mistake = eventMistake(parsed.data);
  return mistake === undefined ? { spec: parsed.data } : invalid(`spec.eventJSON: ${mistake}`);
}

const invalid = (message: string): Acceptance => ({ refusal: { reason: 'InvalidSpec', message } });

/** What neither CEL nor the schema can see of an event: that it is no JSON. */
export function eventMistake({ eventJSON }: Pick<FunctionJobSpec, 'eventJSON'>): string | undefined {
  return eventJSON === undefined ? undefined : jsonTextMistake(eventJSON);
}
