import { z } from 'zod';
import { callLimitsOf } from '../../../resources/kube/call-limits.ts';
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

// A bad spec leaves the last good version running (design.md §3).
const functionSpec = z.object({ replicas: z.int().min(0).catch(1) }).catch({ replicas: 1 });

/** `undefined` for a Function that is being deleted. */
export function readFunction(object: KubeObject): FunctionFacts | undefined {
  if (object.metadata.deletionTimestamp !== undefined) return undefined;
  const { timeoutSeconds, concurrency } = callLimitsOf(object);
  return {
    uid: object.metadata.uid ?? '',
    timeoutMs: timeoutSeconds * 1000,
    concurrency,
    replicas: functionSpec.parse(object.spec).replicas,
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
