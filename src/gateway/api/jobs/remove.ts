import type { Cluster } from '../../../ports/cluster.ts';
import { everything } from '../../../ports/everything.ts';
import { KINDS, type Kind } from '../../../resources/kube/kinds.ts';
import { LABELS } from '../../../resources/kube/labels.ts';
import { controllerOf, type KubeObject } from '../../../resources/kube/object.ts';
import type { ApiApp, ApiDeps, ApiOptions } from '../deps.ts';
import { waitUntilGone } from '../gone.ts';
import type { Address } from '../kept.ts';
import { jobRef, requireJob } from './object.ts';
import { deleteJobRoute } from './routes.ts';

export function registerDeleteJob(app: ApiApp, { cluster, clock }: ApiDeps, options: ApiOptions): void {
  app.openapi(deleteJobRoute, async (c) => {
    const address = { namespace: c.get('namespace'), name: c.req.valid('param').name };
    const { uid = '' } = (await requireJob(cluster, address)).metadata;
    const jobs = new Set<string | undefined>();
    const remember = async (): Promise<boolean> => {
      const owned = (await childrenOf(cluster, address, KINDS.Job)).filter(
        (job) => controllerOf(job)?.uid === uid,
      );
      for (const { metadata } of owned) jobs.add(metadata.uid);
      return owned.length === 0;
    };
    await remember();
    await cluster.delete(jobRef(address), { uid });
    const isGone = async (): Promise<boolean> => {
      const object = await cluster.get(jobRef(address));
      if (object?.metadata.uid === uid || !(await remember())) return false;
      const pods = await childrenOf(cluster, address, KINDS.Pod);
      return !pods.some((pod) => jobs.has(controllerOf(pod)?.uid));
    };
    const { signal } = c.req.raw;
    if (await waitUntilGone(isGone, { clock, waitMs: options.deleteWaitMs, signal }))
      return c.body(null, 204);
    return c.json({ message: 'deleted; its run is still ending' }, 202);
  });
}

function childrenOf(cluster: Cluster, { namespace, name }: Address, kind: Kind): Promise<KubeObject[]> {
  return everything(cluster, { kind, namespace, labels: { [LABELS.functionJob]: name } });
}
