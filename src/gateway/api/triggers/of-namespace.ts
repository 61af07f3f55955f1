import type { Cluster } from '../../../ports/cluster.ts';
import { everything } from '../../../ports/everything.ts';
import { KINDS } from '../../../resources/kube/kinds.ts';
import { LABELS } from '../../../resources/kube/labels.ts';
import type { TriggerObject } from '../../../resources/trigger/schema.ts';
import { asTrigger } from './object.ts';

/**
 * All Triggers of a namespace, or those whose label names one function. The label is put on by the api and by a hook a
 * moment after a Trigger was applied, and anyone may write it: readers look at `functionRef` again.
 */
export async function listTriggers(
  cluster: Cluster,
  namespace: string,
  functionName?: string,
): Promise<TriggerObject[]> {
  const labels = functionName === undefined ? {} : { labels: { [LABELS.function]: functionName } };
  const found = await everything(cluster, { kind: KINDS.Trigger, namespace, ...labels });
  return found.map(asTrigger);
}
