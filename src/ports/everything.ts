import type { KubeObject } from '../resources/kube/object.ts';
import type { Cluster, Query } from './cluster.ts';

/**
 * All objects of a query, page after page, in the order of their names. What changes meanwhile may be in it or not.
 *
 * @throws SlessError as `Cluster.list`
 */
export async function everything(cluster: Pick<Cluster, 'list'>, query: Query): Promise<KubeObject[]> {
  const found: KubeObject[] = [];
  let cursor: string | undefined;
  do {
    const page = await cluster.list(query, cursor === undefined ? {} : { cursor });
    found.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return found;
}
