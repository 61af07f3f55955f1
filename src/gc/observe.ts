import type { Cluster } from '../ports/cluster.ts';
import { everything } from '../ports/everything.ts';
import { KINDS } from '../resources/kube/kinds.ts';
import { LABELS } from '../resources/kube/labels.ts';
import type { Owner } from './item.ts';
import type { Observed } from './usage.ts';

type Reader = Pick<Cluster, 'get' | 'list'>;

/** Every Function of the cluster and all that runs for one. Fails rather than leaving something out. */
export async function observeAll(cluster: Reader): Promise<Observed> {
  const functions = await everything(cluster, { kind: KINDS.Function });
  const deployments = await everything(cluster, { kind: KINDS.Deployment });
  const jobs = await everything(cluster, { kind: KINDS.Job });
  const workloads = [...deployments, ...jobs].filter(
    (object) => LABELS.function in (object.metadata.labels ?? {}),
  );
  return { functions, workloads };
}

/** The same of one Function's address, as it is at this moment. */
export async function observeOne(cluster: Reader, { namespace, name }: Owner): Promise<Observed> {
  const found = await cluster.get({ kind: KINDS.Function, namespace, name });
  const query = { namespace, labels: { [LABELS.function]: name } };
  const deployments = await everything(cluster, { ...query, kind: KINDS.Deployment });
  const jobs = await everything(cluster, { ...query, kind: KINDS.Job });
  return { functions: found === undefined ? [] : [found], workloads: [...deployments, ...jobs] };
}
