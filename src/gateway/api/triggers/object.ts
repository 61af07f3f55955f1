import type { Cluster, ObjectRef } from '../../../ports/cluster.ts';
import { KINDS } from '../../../resources/kube/kinds.ts';
import type { TriggerObject } from '../../../resources/trigger/schema.ts';
import { notFound } from '../fresh-patch.ts';

/** Where a trigger is kept. */
export interface TriggerAddress {
  readonly namespace: string;
  readonly name: string;
}

export function triggerRef({ namespace, name }: TriggerAddress): ObjectRef {
  return { kind: KINDS.Trigger, namespace, name };
}

/** What a trigger is called in an error. */
export function triggerTitle({ name }: TriggerAddress): string {
  return `trigger ${JSON.stringify(name)}`;
}

/** @throws SlessError `NotFound` */
export async function requireTrigger(cluster: Cluster, address: TriggerAddress): Promise<TriggerObject> {
  const object = await cluster.get(triggerRef(address));
  if (object === undefined) throw notFound(triggerTitle(address));
  // The CRD's schema stands guard over what is stored; readers parse what they rely on.
  return object as TriggerObject;
}
