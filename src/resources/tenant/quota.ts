import { TENANT_KINDS } from '../kube/kinds.ts';
import type { KubeObject } from '../kube/object.ts';
import { canonicalQuantity, compareQuantities } from '../kube/quantity.ts';
import { tenantMeta } from './meta.ts';
import type { ContainerRange, TenantSettings } from './settings.ts';

type Amounts = Readonly<Record<string, string>>;

/** What a namespace may use altogether; nothing where no limit is configured. */
export function quota(namespace: string, { quota: hard }: TenantSettings): KubeObject[] {
  if (Object.keys(hard).length === 0) return [];
  const { apiVersion, kind } = TENANT_KINDS.ResourceQuota;
  return [{ apiVersion, kind, metadata: tenantMeta(namespace, 'sless'), spec: { hard: canonical(hard) } }];
}

/** What one container gets that says nothing itself, and the most that one may ask for; nothing where that is all open. */
export function limitRange(namespace: string, { containers }: TenantSettings): KubeObject[] {
  const range = complete(containers);
  if (Object.keys(range).length === 0) return [];
  const { apiVersion, kind } = TENANT_KINDS.LimitRange;
  const limits = [{ ...range, type: 'Container' }];
  return [{ apiVersion, kind, metadata: tenantMeta(namespace, 'sless'), spec: { limits } }];
}

/**
 * The range as the API server stores it: it fills in a default for each maximum and a default request for each default, and what it would
 * add to our answer would be taken away again at every sync. It also refuses a default above the maximum.
 */
function complete({ requests, limits, max }: ContainerRange): Record<string, Amounts> {
  const byDefault = { ...max, ...lowered(limits, max) };
  const defaultRequest = { ...byDefault, ...lowered(requests, byDefault) };
  const parts = { default: byDefault, defaultRequest, max };
  return Object.fromEntries(
    Object.entries(parts)
      .filter(([, amounts]) => Object.keys(amounts).length > 0)
      .map(([name, amounts]) => [name, canonical(amounts)]),
  );
}

function lowered(amounts: Amounts, bounds: Amounts): Amounts {
  return Object.fromEntries(
    Object.entries(amounts).map(([name, amount]) => {
      const bound = bounds[name];
      const isMore = bound !== undefined && (compareQuantities(amount, bound) ?? 0) > 0;
      return [name, isMore ? bound : amount];
    }),
  );
}

function canonical(amounts: Amounts): Record<string, string> {
  return Object.fromEntries(
    Object.entries(amounts)
      .map(([name, amount]) => [name, canonicalQuantity(amount)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
