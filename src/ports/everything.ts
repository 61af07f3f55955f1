import { isSlessError, SlessError } from '../errors.ts';
import type { KubeObject } from '../resources/kube/object.ts';
import type { Cluster, Query } from './cluster.ts';

/** A list that is told anew so often changes faster than it can be read. */
const MAX_TRIES = 3;

/**
 * All objects of a query, page after page, in the order of their names. What changes meanwhile may be in it or not.
 * A cursor that has become too old on the way is nothing to whoever asked for no page: the list begins anew.
 *
 * @throws SlessError as `Cluster.list`, but for `Gone`
 */
export async function everything(cluster: Pick<Cluster, 'list'>, query: Query): Promise<KubeObject[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await pages(cluster, query);
    } catch (cause) {
      if (!isSlessError(cause, 'Gone')) throw cause;
      if (tries === MAX_TRIES)
        throw new SlessError('Unavailable', 'the list changes faster than it can be read', { cause });
    }
  }
}

async function pages(cluster: Pick<Cluster, 'list'>, query: Query): Promise<KubeObject[]> {
  const found: KubeObject[] = [];
  let cursor: string | undefined;
  do {
    const page = await cluster.list(query, cursor === undefined ? {} : { cursor });
    found.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return found;
}
