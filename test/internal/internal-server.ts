import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEmbeddedCluster, type EmbeddedCluster } from '../../src/adapters/embedded-cluster/cluster.ts';
import { createMemoryStore } from '../../src/adapters/embedded-cluster/state-store.ts';
import { receive } from '../../src/gateway/entrance/server.ts';
import { webListener } from '../../src/gateway/entrance/web-listener.ts';
import { createInternal } from '../../src/gateway/internal/app.ts';
import type { InternalDeps, InternalOptions } from '../../src/gateway/internal/deps.ts';
import { silentLogger } from '../contracts/silent-logger.ts';

/** The routes for build pods on a real server, over the embedded cluster. */
export interface InternalServer {
  readonly origin: string;
  readonly cluster: EmbeddedCluster;
  close(): Promise<void>;
}

export async function startInternal(
  deps: Pick<InternalDeps, 'store' | 'tokens'> & Partial<InternalDeps>,
  options: InternalOptions = {},
): Promise<InternalServer> {
  const cluster = createEmbeddedCluster({ store: createMemoryStore(), clock: Date, logger: silentLogger });
  const app = createInternal({ cluster, clock: Date, logger: silentLogger, ...deps }, options);
  const server = receive(createServer({ requireHostHeader: false }), { request: webListener(app) }).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    cluster,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
      cluster.close();
    },
  };
}
