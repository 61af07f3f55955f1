import type { DecorateRequest, DecorateResponse, HookKinds } from '../kube/hook.ts';
import { KINDS, TENANT_KINDS } from '../kube/kinds.ts';
import { LABELS } from '../kube/labels.ts';
import { labelOf } from '../kube/object.ts';
import { buildsPolicy, functionsPolicy } from './network-policies.ts';
import { limitRange, quota } from './quota.ts';
import { secretCopiesBinding, serviceBindings } from './role-binding.ts';
import { buildServiceAccount } from './service-account.ts';
import type { TenantSettings } from './settings.ts';

/** The kinds of the decorator of tenants' namespaces. */
export const TENANT_DECORATOR_KINDS: HookKinds = Object.freeze({
  parent: KINDS.Namespace,
  children: Object.values(TENANT_KINDS),
  related: [],
});

/**
 * Settings are no object, so a change of them wakes nobody: the namespaces that lie still are looked at again by this time. Of a thousand
 * that is two short calls a second.
 */
const RESYNC_SECONDS = 600;

/**
 * What a namespace receives with the label `sless.dev/tenant=true`: who builds run as, what its pods may reach and use, and the
 * rights of api and dispatcher there. The label alone counts, whoever wrote it. Pure.
 */
export function decorateNamespace({ object }: DecorateRequest, settings: TenantSettings): DecorateResponse {
  const { name } = object.metadata;
  if (labelOf(object, LABELS.tenant) !== 'true') return { attachments: [] };
  return {
    attachments: [
      buildServiceAccount(name, settings),
      functionsPolicy(name, settings),
      buildsPolicy(name, settings),
      ...quota(name, settings),
      ...limitRange(name, settings),
      ...serviceBindings(name, settings),
      ...(settings.copiesSecrets ? [secretCopiesBinding(name, settings)] : []),
    ],
    resyncAfterSeconds: RESYNC_SECONDS,
  };
}
