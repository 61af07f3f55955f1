import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { openDirectoryStore } from '../../src/adapters/directory-store.ts';
import { createEmbeddedCluster, type EmbeddedCluster } from '../../src/adapters/embedded-cluster/cluster.ts';
import { createMemoryStore } from '../../src/adapters/embedded-cluster/state-store.ts';
import { type Images, openImages } from '../../src/local/build/images.ts';
import type { PodDeps } from '../../src/local/pod/pod-deps.ts';
import { createPorts } from '../../src/local/process/ports.ts';
import { createProcessRecords } from '../../src/local/process/records.ts';
import type { ObjectStore } from '../../src/ports/object-store.ts';
import { KINDS, type Kind } from '../../src/resources/kube/kinds.ts';
import type { KubeObject } from '../../src/resources/kube/object.ts';
import { loadRuntimes } from '../../src/runtimes/catalogue.ts';
import { silentLogger } from '../contracts/silent-logger.ts';

/** Everything that pods and builds need, in a folder of its own, over a cluster that forgets. */
export interface Machine extends PodDeps {
  readonly folder: string;
  readonly cluster: EmbeddedCluster;
  readonly images: Images;
  readonly store: ObjectStore;
  readonly machine: Readonly<Record<string, string | undefined>>;
  close(): Promise<void>;
}

export const RUNTIME_IMAGE = 'local/sless-runtime-plain:v1.0.0';
export const NAMESPACE = 'default';

export async function openMachine(): Promise<Machine> {
  const folder = await mkdtemp(join(tmpdir(), 'sless-machine-'));
  const cluster = createEmbeddedCluster({ store: createMemoryStore(), clock: Date, logger: silentLogger });
  const records = createProcessRecords(join(folder, 'processes'));
  await records.endStale();
  return {
    folder,
    cluster,
    images: await openImages(join(folder, 'images')),
    store: await openDirectoryStore({ folder: join(folder, 'objects') }),
    runtimes: loadRuntimes(join(import.meta.dirname, 'fixtures/runtimes')),
    ports: createPorts(),
    records,
    clock: Date,
    logger: silentLogger,
    logsFolder: join(folder, 'logs'),
    temporaryFolder: join(folder, 'tmp'),
    machinePath: process.env.PATH,
    machine: process.env,
    close: async () => {
      cluster.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type Files = Readonly<Record<string, string>>;

/** An image with these files, called `local/<name>`. */
export async function makeImage({ images }: Machine, name: string, files: Files): Promise<string> {
  const unfinished = await images.begin();
  for (const [path, text] of Object.entries(files)) {
    const target = join(unfinished.functionFolder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
  }
  const digest = `sha256:${Buffer.from(name).toString('hex').padEnd(64, '0').slice(0, 64)}`;
  await unfinished.commit({ digest, runtimeImage: RUNTIME_IMAGE, key: 'k' });
  return `local/${name}@${digest}`;
}

/** A build context with these files, stored under that key. */
export async function storeContext({ store }: Machine, key: string, files: Files): Promise<void> {
  const tar = pack();
  tar.entry({ name: 'Dockerfile' }, 'FROM scratch\n');
  for (const [path, text] of Object.entries(files)) tar.entry({ name: `function/${path}` }, text);
  tar.finalize();
  const bytes = await buffer(tar.pipe(createGzip()));
  await store.put(key, Readable.from([bytes]), { size: bytes.length });
}

interface Deployed {
  readonly image: string;
  readonly replicas?: number;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly envFrom?: readonly object[];
  readonly progressDeadlineSeconds?: number;
}

/** A Deployment as the operator writes them. */
export function deployment(
  name: string,
  { image, replicas = 1, env = [], envFrom = [], ...rest }: Deployed,
): KubeObject {
  const labels = { 'sless.dev/component': 'server', 'sless.dev/function': name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: NAMESPACE, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } },
      ...rest,
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 10,
          containers: [
            {
              name: 'function',
              image,
              env,
              envFrom,
              readinessProbe: {
                httpGet: { path: '/_sless/health', port: 'http' },
                periodSeconds: 1,
                timeoutSeconds: 1,
                failureThreshold: 3,
              },
            },
          ],
        },
      },
    },
  };
}

/** All objects of a kind. */
export async function all({ cluster }: Machine, kind: keyof typeof KINDS): Promise<readonly KubeObject[]> {
  const known: Kind = KINDS[kind];
  return (await cluster.list({ kind: known })).items;
}
