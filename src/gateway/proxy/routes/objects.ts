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

/** A pod that takes calls, or one that is on its way out but still answers. */
export interface EndpointFacts {
  /** Differs between pods, also between two that had the same address one after the other. */
  readonly id: string;
  readonly pod: string;
  readonly address: string;
  readonly port: number;
  readonly ready: boolean;
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

/** The port that the Services of functions name so. */
const PORT_NAME = 'http';

// Go writes empty lists as null, and a condition that is not there counts as ready (discovery.k8s.io/v1).
const condition = z.boolean().nullish();
const endpointSlice = z.object({
  addressType: z.string().optional(),
  endpoints: z
    .array(
      z.object({
        addresses: z.array(z.string()),
        conditions: z.object({ ready: condition, serving: condition, terminating: condition }).nullish(),
        targetRef: z.object({ uid: z.string().optional(), name: z.string().optional() }).nullish(),
      }),
    )
    .nullish(),
  ports: z.array(z.object({ name: z.string().nullish(), port: z.int().nullish() })).nullish(),
});

/** The endpoints of a slice that can be called; none for host names (`FQDN`) and for slices without our port. */
export function readEndpoints(object: KubeObject): EndpointFacts[] {
  const slice = endpointSlice.safeParse(object).data;
  if (slice === undefined || slice.addressType === 'FQDN') return [];
  const port = slice.ports?.find((candidate) => candidate.name === PORT_NAME)?.port;
  if (typeof port !== 'number') return [];
  return (slice.endpoints ?? []).flatMap((endpoint) => {
    const { addresses, conditions, targetRef } = endpoint;
    const ready = conditions?.ready ?? true;
    const leaving = conditions?.serving === true && conditions.terminating === true;
    const address = addresses[0];
    if (address === undefined || !(ready || leaving)) return [];
    const pod = targetRef?.uid ?? targetRef?.name ?? `${address}:${port}`;
    return [{ id: `${address}|${port}|${pod}`, pod, address, port, ready }];
  });
}

/** The Service that a slice belongs to. */
export const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';
