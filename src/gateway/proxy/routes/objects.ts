import { z } from 'zod';
import type { KubeObject } from '../../../resources/kube/object.ts';

/** What the proxy must know of a Function. */
export interface FunctionFacts {
  readonly uid: string;
  readonly timeoutMs: number;
  /** Calls at once in one pod. */
  readonly concurrency: number;
  /** Pods wanted while a Trigger is enabled. */
  readonly replicas: number;
}

/** An enabled http Trigger. */
export interface TriggerFacts {
  readonly name: string;
  readonly functionRef: string;
}

// A bad spec leaves the last good version running (design.md §3), so each field is read for itself.
const functionSpec = z
  .object({
    timeoutSeconds: z.int().min(1).max(3600).catch(60),
    concurrency: z.int().min(1).max(1000).catch(100),
    replicas: z.int().min(0).catch(1),
  })
  .catch({ timeoutSeconds: 60, concurrency: 100, replicas: 1 });

/** `undefined` for a Function that is being deleted. */
export function readFunction(object: KubeObject): FunctionFacts | undefined {
  if (object.metadata.deletionTimestamp !== undefined) return undefined;
  const spec = functionSpec.parse(object.spec);
  return {
    uid: object.metadata.uid ?? '',
    timeoutMs: spec.timeoutSeconds * 1000,
    concurrency: spec.concurrency,
    replicas: spec.replicas,
  };
}

const triggerSpec = z.object({
  type: z.literal('http'),
  functionRef: z.string(),
  enabled: z.literal(true).default(true),
});

/** `undefined` for a Trigger that lets no HTTP call through: another type, disabled, being deleted. */
export function readTrigger(object: KubeObject): TriggerFacts | undefined {
  if (object.metadata.deletionTimestamp !== undefined) return undefined;
  const spec = triggerSpec.safeParse(object.spec).data;
  return spec && { name: object.metadata.name, functionRef: spec.functionRef };
}
