import type { ControllerCluster } from '../../../src/ports/cluster.ts';
import { listAll } from '../../contracts/cluster/subject.ts';
import { type Ledger, normalForm } from './normal-form.ts';
import { refuseStrangers, type Stage } from './play.ts';

/** The objects of a sequence as a list answers them. */
export async function listNormal(
  cluster: ControllerCluster,
  { kind, namespace, prefix }: Stage,
  { ledger, labels }: { readonly ledger: Ledger; readonly labels?: Readonly<Record<string, string>> },
): Promise<unknown[]> {
  const query = { kind, ...(kind.namespaced ? { namespace } : {}), ...(labels ? { labels } : {}) };
  const own = (await listAll(cluster, query)).filter(({ metadata }) => metadata.name.startsWith(prefix));
  own.forEach(refuseStrangers);
  return own.map((object) => normalForm(object, ledger));
}
