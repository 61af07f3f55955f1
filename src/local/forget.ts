import { isSlessError } from '../errors.ts';
import type { Cluster } from '../ports/cluster.ts';
import { everything } from '../ports/everything.ts';
import { KINDS, type Kind } from '../resources/kube/kinds.ts';
import type { KubeObject } from '../resources/kube/object.ts';

/** What a Pod's status says of its processes. */
const NOTHING_RUNS = {
  phase: 'Pending',
  podIP: null,
  startTime: null,
  conditions: null,
  containerStatuses: null,
};
const NO_PODS = {
  replicas: null,
  updatedReplicas: null,
  readyReplicas: null,
  availableReplicas: null,
  unavailableReplicas: null,
  conditions: null,
};

/**
 * After a start nothing of what the last run has started is left, however it ended: nothing listens at any endpoint, and pods of Jobs
 * that had not finished are gone. Those of Deployments stay, as on a node that was started anew, for the template of an earlier version
 * stands nowhere else; but nothing of them runs yet, and what is written of them says so.
 */
export async function forgetLastRun(cluster: Cluster): Promise<void> {
  await removeAll(cluster, KINDS.EndpointSlice, () => true);
  await removeAll(cluster, KINDS.Pod, (pod) => !isOfDeployment(pod) && !hasFinished(pod));
  for (const pod of (await everything(cluster, { kind: KINDS.Pod })).filter(isOfDeployment))
    await writeStatus(cluster, KINDS.Pod, { of: pod, status: NOTHING_RUNS });
  for (const deployment of await everything(cluster, { kind: KINDS.Deployment }))
    await writeStatus(cluster, KINDS.Deployment, { of: deployment, status: NO_PODS });
}

function isOfDeployment({ metadata }: KubeObject): boolean {
  return metadata.ownerReferences?.some(({ kind }) => kind === KINDS.Deployment.kind) ?? false;
}

function hasFinished({ status }: KubeObject): boolean {
  const { phase } = (status ?? {}) as { readonly phase?: string };
  return phase === 'Succeeded' || phase === 'Failed';
}

async function writeStatus(
  cluster: Cluster,
  kind: Kind,
  { of, status }: { readonly of: KubeObject; readonly status: object },
): Promise<void> {
  const { name, namespace = '' } = of.metadata;
  await unlessGone(cluster.patch({ kind, namespace, name }, { status }, { subresource: 'status' }));
}

async function removeAll(
  cluster: Cluster,
  kind: Kind,
  unwanted: (object: KubeObject) => boolean,
): Promise<void> {
  for (const object of await everything(cluster, { kind })) {
    const { name, namespace = '' } = object.metadata;
    if (unwanted(object)) await unlessGone(cluster.delete({ kind, namespace, name }));
  }
}

/** What has lost its owner is collected meanwhile. */
async function unlessGone(write: Promise<unknown>): Promise<void> {
  await write.catch((error: unknown) => {
    if (!isSlessError(error, 'NotFound')) throw error;
  });
}
