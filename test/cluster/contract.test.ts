import { kubeconfig } from '../../src/adapters/kubernetes/kubeconfig.ts';
import type { ControllerCluster } from '../../src/ports/cluster.ts';
import { KINDS } from '../../src/resources/kube/kinds.ts';
import type { KubeObject } from '../../src/resources/kube/object.ts';
import type { OpenCluster } from '../contracts/cluster/subject.ts';
import { clusterContract } from '../contracts/cluster.ts';
import { realCluster, relayedCluster } from './adapter.ts';
import { apiServer } from './api-server.ts';
import { installCrds } from './crds.ts';
import { clusterEnvironment } from './environment.ts';

const environment = clusterEnvironment();

/** Deletes the namespaces that were made through it. */
function sweeping(cluster: ControllerCluster): { cluster: ControllerCluster; sweep: () => Promise<void> } {
  const made: string[] = [];
  return {
    cluster: {
      ...cluster,
      create: async (object) => {
        if (object.kind === 'Namespace') made.push(object.metadata.name);
        return cluster.create(object);
      },
    },
    sweep: async () => {
      await Promise.allSettled(made.map((name) => cluster.delete({ kind: KINDS.Namespace, name })));
      // Whatever still waits for a finalizer would keep its namespace for ever.
      const { items } = await cluster.list({ kind: KINDS.Function });
      const left = items.filter(({ metadata }) => made.includes(metadata.namespace ?? ''));
      const release = ({ metadata: { name, namespace = '' } }: KubeObject) =>
        cluster.patch({ kind: KINDS.Function, namespace, name }, { metadata: { finalizers: null } });
      await Promise.allSettled(left.map(release));
    },
  };
}

async function open(path: string): Promise<OpenCluster> {
  const server = apiServer(path);
  if (server === undefined) throw new Error('no API server');
  await installCrds(server);
  server.close();
  const direct = realCluster(kubeconfig({ path }));
  // Only watches go through the relay: a contract breaks them while it writes.
  const watching = await relayedCluster(path);
  const { cluster, sweep } = sweeping({ ...direct.cluster, watch: watching.cluster.watch });
  return {
    cluster,
    interruptWatches: () => {
      void watching.relay.down();
      return () => void watching.relay.restore();
    },
    close: async () => {
      await sweep();
      await Promise.all([direct.connection.close(), watching.connection.close(), watching.relay.close()]);
    },
  };
}

if (environment !== undefined)
  clusterContract('a real API server', {
    open: () => open(environment.kubeconfig),
    collects: true,
    runs: environment.soak ? 60 : 15,
  });
