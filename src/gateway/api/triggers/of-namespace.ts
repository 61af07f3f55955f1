import type { Cluster } from '../../../ports/cluster.ts';
import { KINDS } from '../../../resources/kube/kinds.ts';
import { LABELS } from '../../../resources/kube/labels.ts';
import type { KubeObject } from '../../../resources/kube/object.ts';
import type { TriggerObject } from '../../../resources/trigger/schema.ts';

const PAGE = 500;

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
  const found: KubeObject[] = [];
  let cursor: string | undefined;
  do {
    const page = await cluster.list(
      { kind: KINDS.Trigger, namespace, ...labels },
      { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) },
    );
    found.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return found as TriggerObject[]; // as with Functions, the CRD's schema stands guard
}
