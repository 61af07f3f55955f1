import type { AccessSource } from '../adapters/kubernetes/access.ts';
import { createKubernetesCluster } from '../adapters/kubernetes/cluster.ts';
import { type Connection, createConnection } from '../adapters/kubernetes/connection.ts';
import { inCluster } from '../adapters/kubernetes/in-cluster.ts';
import { kubeconfig } from '../adapters/kubernetes/kubeconfig.ts';
import type { Config } from '../config/config.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Logger } from '../ports/logger.ts';

/** The cluster that a role works on, and the connection that its other ports share. */
export interface Kubernetes {
  readonly cluster: Cluster;
  readonly connection: Connection;
}

/** By a kubeconfig file where one is named, else as the pod's own service account. */
export function connectKubernetes(config: Config, logger: Logger): Kubernetes {
  const connection = createConnection({ access: accessOf(config), clock: Date });
  return {
    connection,
    cluster: createKubernetesCluster({ connection, logger, clock: Date, random: Math.random }),
  };
}

function accessOf({ kubeconfig: path, kubernetesHost, kubernetesPort }: Config): AccessSource {
  if (path !== undefined) return kubeconfig({ path });
  // `loadConfig` has refused to go on with neither of the two.
  return inCluster({ host: kubernetesHost ?? '', port: String(kubernetesPort) });
}
