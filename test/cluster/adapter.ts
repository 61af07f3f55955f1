import type { AccessSource } from '../../src/adapters/kubernetes/access.ts';
import { createKubernetesCluster } from '../../src/adapters/kubernetes/cluster.ts';
import { type Connection, createConnection } from '../../src/adapters/kubernetes/connection.ts';
import { kubeconfig } from '../../src/adapters/kubernetes/kubeconfig.ts';
import type { WatchOptions } from '../../src/adapters/kubernetes/watch.ts';
import type { ControllerCluster } from '../../src/ports/cluster.ts';
import { silentLogger } from '../contracts/silent-logger.ts';
import { type Place, type Relay, startRelay } from '../network/relay.ts';

/** The adapter as services use it, and its connection. */
export interface RealCluster {
  readonly cluster: ControllerCluster;
  readonly connection: Connection;
}

/** The adapter over the cluster of a kubeconfig. */
export function realCluster(access: AccessSource, watch: Partial<WatchOptions> = {}): RealCluster {
  const connection = createConnection({ access, clock: Date });
  const deps = { connection, logger: silentLogger, clock: Date, random: Math.random };
  return { connection, cluster: createKubernetesCluster(deps, { watch }) };
}

/** The adapter over the same cluster, behind a relay that a test can break. */
export async function relayedCluster(
  path: string,
  watch: Partial<WatchOptions> = {},
): Promise<RealCluster & { readonly relay: Relay }> {
  const direct = kubeconfig({ path });
  const { server, tls } = await direct();
  const relay = await startRelay(placeOf(server));
  // The certificate is that of the server, which the relay is not.
  const access: AccessSource = async () => ({
    ...(await direct()),
    server: `${new URL(server).protocol}//${relay.host}:${relay.port}`,
    tls: { ...tls, rejectUnauthorized: false },
  });
  return { relay, ...realCluster(access, watch) };
}

function placeOf(server: string): Place {
  const { protocol, hostname, port } = new URL(server);
  return { host: hostname, port: Number(port || (protocol === 'https:' ? 443 : 80)) };
}
