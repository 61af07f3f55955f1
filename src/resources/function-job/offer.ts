import { type ErrorCode, isErrorCode } from '../../errors.ts';
import { type ContainerResources, containerResources } from '../function/container-resources.ts';
import {
  type FunctionSpec,
  type FunctionStatus,
  functionSpecSchema,
  functionStatusSchema,
} from '../function/schema.ts';
import type { FunctionSettings } from '../function/settings.ts';
import { issueLines } from '../kube/field-path.ts';
import type { KubeObject } from '../kube/object.ts';
import type { Refusal } from '../kube/refusal.ts';

/** What a Function brings into a run: its image, and what its container is given. */
export interface Offer {
  readonly image: string;
  readonly entrypoint: string;
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly resources: ContainerResources;
}

/** An offer, or what a run waits for: the code that the Function asks for is not built. */
export type Offered = { readonly offer: Offer } | { readonly awaits: Refusal };

/** What a run of this Function would be made from. Its server may be stopped, or crash: a run is a process of its own. */
export function offerOf(name: string, called: KubeObject | undefined, settings: FunctionSettings): Offered {
  const awaits = (reason: ErrorCode, message: string): Offered => ({
    awaits: { reason, message: `waiting for the function ${name}: ${message}` },
  });
  if (called === undefined) return awaits('FunctionNotFound', 'there is none in this namespace');
  const parsed = functionSpecSchema.safeParse(called.spec ?? {});
  if (!parsed.success) return awaits('InvalidSpec', issueLines('spec', parsed.error).join('; '));
  const spec = parsed.data;
  const entrypoint = spec.entrypoint ?? settings.runtimes.get(spec.runtime)?.entrypoint;
  if (entrypoint === undefined) return awaits('UnknownRuntime', `there is no runtime ${spec.runtime}`);
  const status = functionStatusSchema.safeParse(called.status ?? {}).data ?? {};
  if (status.observedGeneration !== called.metadata.generation)
    return awaits('Building', 'the operator is about to look at it');
  const image = builtImage(spec, status);
  if (image === undefined) return awaits(...whyNotBuilt(status));
  const resources = containerResources(spec.resources, settings.resources);
  return { offer: { image, entrypoint, env: spec.env, secrets: spec.secrets, resources } };
}

/** The image of the code that the spec asks for; of the last good one where it asks for none. */
function builtImage(spec: FunctionSpec, status: FunctionStatus): string | undefined {
  const isBuilt = status.conditions?.some(({ type, status: holds }) => type === 'Built' && holds === 'True');
  const isAsked = spec.s3Key === undefined || spec.s3Key === status.builtKey;
  return isBuilt === true && isAsked ? status.image : undefined;
}

/** In the Function's own words. */
function whyNotBuilt({ conditions = [] }: FunctionStatus): [ErrorCode, string] {
  const built = conditions.find(({ type, status }) => type === 'Built' && status !== 'True');
  const { reason, message } = built ?? conditions.find(({ type }) => type === 'Ready') ?? {};
  return [isErrorCode(reason) ? reason : 'Building', message ?? 'it is not built yet'];
}
