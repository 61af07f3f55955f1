import { z } from 'zod';
import type { KubeObject } from './object.ts';

/** A pod that takes calls, or one that is on its way out but still answers. */
export interface EndpointFacts {
  /** Differs between pods, also between two that had the same address one after the other. */
  readonly id: string;
  readonly pod: string;
  readonly address: string;
  readonly port: number;
  readonly ready: boolean;
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
