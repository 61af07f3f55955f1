import { LABELS } from '../kube/labels.ts';
import type { ObjectMeta } from '../kube/object.ts';

/** Metadata of what a tenant's namespace receives: a fresh literal each time. */
export function tenantMeta(namespace: string, name: string): ObjectMeta {
  return { labels: { [LABELS.managedBy]: 'sless' }, name, namespace };
}
