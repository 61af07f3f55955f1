import { canonicalQuantity, compareQuantities } from '../kube/quantity.ts';
import type { FunctionSpec } from './schema.ts';
import type { ResourceSettings } from './settings.ts';

/** Requests and limits of a container, canonical and in the order of their names. */
export interface ContainerResources {
  readonly requests: Readonly<Record<string, string>>;
  readonly limits: Readonly<Record<string, string>>;
}

const canonical = (amounts: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(amounts)
      .flatMap(([name, amount]) => (amount === undefined ? [] : [[name, canonicalQuantity(amount)] as const]))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

const isMore = (a: string, b: string): boolean => (compareQuantities(a, b) ?? 0) > 0;

/**
 * What the spec asks for, over the defaults of the installation. A default gives way where it would contradict the spec: a request
 * of 2Gi lifts a default limit of 512Mi, and a limit of 64Mi lowers a default request of 128Mi.
 */
export function containerResources(
  spec: FunctionSpec['resources'],
  defaults: ResourceSettings,
): ContainerResources {
  const asked = { requests: spec?.requests ?? {}, limits: spec?.limits ?? {} };
  const requests = { ...defaults.requests, ...asked.requests };
  const limits = { ...defaults.limits, ...asked.limits };
  for (const name of Object.keys(requests) as (keyof typeof asked.limits)[]) {
    const request = requests[name];
    const limit = limits[name];
    if (request === undefined || limit === undefined || !isMore(request, limit)) continue;
    if (asked.limits[name] === undefined) limits[name] = request;
    else requests[name] = limit;
  }
  return { requests: canonical(requests), limits: canonical(limits) };
}

/** Canonical, for amounts that come from the settings as they are. */
export function canonicalResources(settings: ResourceSettings): ContainerResources {
  return { requests: canonical(settings.requests), limits: canonical(settings.limits) };
}
