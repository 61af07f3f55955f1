import { isSlessError, SlessError } from '../../errors.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { KubeObject } from '../../resources/kube/object.ts';

/**
 * Creates an object in a tenant's namespace.
 *
 * @param title what it is called in an error: `function "hello"`
 * @throws SlessError `AlreadyExists`, and `NamespaceNotFound` when the namespace went after it was looked at
 */
export async function createObject(
  cluster: Pick<Cluster, 'create'>,
  object: KubeObject,
  title: string,
): Promise<KubeObject> {
  try {
    return await cluster.create(object);
  } catch (cause) {
    if (isSlessError(cause, 'AlreadyExists'))
      throw new SlessError('AlreadyExists', `there is a ${title} already`, { cause });
    if (isSlessError(cause, 'NotFound')) {
      const namespace = object.metadata.namespace ?? '';
      throw new SlessError('NamespaceNotFound', `there is no namespace ${namespace} any more`, { cause });
    }
    throw cause;
  }
}
