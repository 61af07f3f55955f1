import type { Cluster } from '../ports/cluster.ts';
import { everything } from '../ports/everything.ts';
import { KINDS, type Kind } from '../resources/kube/kinds.ts';
import type { KubeObject } from '../resources/kube/object.ts';

/**
 * After a start nothing of what the last run has started is left, however it ended: pods that had not finished are
 * gone, and nothing listens at any endpoint. Whoever owned them makes new ones.
 */
export async function forgetLastRun(cluster: Cluster): Promise<void> {
  const phase = ({ status }: KubeObject): unknown => (status as { phase?: string } | undefined)?.phase;
  await removeAll(cluster, KINDS.EndpointSlice, () => true);
  await removeAll(cluster, KINDS.Pod, (pod) => phase(pod) !== 'Succeeded' && phase(pod) !== 'Failed');
  for (const { metadata } of await everything(cluster, { kind: KINDS.Deployment })) {
    const { name, namespace = '' } = metadata;
    const nothing = { replicas: null, updatedReplicas: null, readyReplicas: null, availableReplicas: null };
    await cluster.patch(
      { kind: KINDS.Deployment, namespace, name },
      { status: { ...nothing, conditions: null } },
      { subresource: 'status' },
    );
  }
}

async function removeAll(
  cluster: Cluster,
  kind: Kind,
  unwanted: (object: KubeObject) => boolean,
): Promise<void> {
  for (const object of await everything(cluster, { kind })) {
    const { name, namespace = '' } = object.metadata;
    if (unwanted(object)) await cluster.delete({ kind, namespace, name });
  }
}
