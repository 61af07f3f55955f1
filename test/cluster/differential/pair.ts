import { randomBytes } from 'node:crypto';
import {
  createEmbeddedCluster,
  type EmbeddedCluster,
} from '../../../src/adapters/embedded-cluster/cluster.ts';
import { createMemoryStore } from '../../../src/adapters/embedded-cluster/state-store.ts';
import { createKubernetesCluster } from '../../../src/adapters/kubernetes/cluster.ts';
import { createConnection } from '../../../src/adapters/kubernetes/connection.ts';
import { kubeconfig } from '../../../src/adapters/kubernetes/kubeconfig.ts';
import type { ControllerCluster } from '../../../src/ports/cluster.ts';
import { KINDS } from '../../../src/resources/kube/kinds.ts';
import { silentLogger } from '../../contracts/silent-logger.ts';

/** One of the two clusters. */
export interface Side {
  readonly name: 'embedded' | 'real';
  readonly cluster: ControllerCluster;
}

/** Both clusters, each with a namespace of that name that no other test has. */
export interface Pair {
  /** The embedded one first. */
  readonly sides: readonly [Side, Side];
  readonly embedded: EmbeddedCluster;
  readonly namespace: string;
  close(): Promise<void>;
}

/** The name under which this suite writes, which nobody else bears. */
export const WRITER = 'sless-differential';

/** `path` is the kubeconfig of the real one. */
export async function openPair(path: string): Promise<Pair> {
  const connection = createConnection({ access: kubeconfig({ path }), clock: Date });
  const deps = { connection, logger: silentLogger, clock: Date, random: Math.random };
  const real = createKubernetesCluster(deps, { fieldManager: WRITER });
  const embedded = createEmbeddedCluster({
    store: createMemoryStore(),
    clock: Date,
    logger: silentLogger,
    fieldManager: WRITER,
  });
  const namespace = `sless-diff-${randomBytes(5).toString('hex')}`;
  for (const cluster of [embedded, real])
    await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  return {
    sides: [
      { name: 'embedded', cluster: embedded },
      { name: 'real', cluster: real },
    ],
    embedded,
    namespace,
    close: async () => {
      embedded.close();
      // What waits for a finalizer would keep the namespace for ever.
      for (const kind of [KINDS.ConfigMap, KINDS.Function])
        for (const { metadata } of (await real.list({ kind, namespace })).items)
          if (metadata.finalizers)
            await real.patch({ kind, namespace, name: metadata.name }, { metadata: { finalizers: null } });
      await real.delete({ kind: KINDS.Namespace, name: namespace });
      await connection.close();
    },
  };
}
