import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answer, type ScriptedServer, startScripted } from '../api-server/scripted.ts';

/** What a role finds around it: an API server of an empty cluster, and an object store with an empty bucket. */
export interface Surroundings {
  readonly folder: string;
  readonly cluster: ScriptedServer;
  readonly store: ScriptedServer;
  /** Whether they answer. */
  readonly up: { cluster: boolean; store: boolean };
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const EMPTY_BUCKET =
  '<?xml version="1.0"?><ListBucketResult><Name>code</Name><KeyCount>0</KeyCount></ListBucketResult>';

export async function openSurroundings(): Promise<Surroundings> {
  const folder = await mkdtemp(join(tmpdir(), 'sless-roles-'));
  const up = { cluster: true, store: true };
  const cluster = await startScripted(({ query }, response) => {
    if (!up.cluster) return void response.writeHead(503).end();
    if (query.get('watch') === 'true') return void response.writeHead(200).flushHeaders();
    answer(response, { metadata: { resourceVersion: '1' }, items: [] });
  });
  const store = await startScripted((_seen, response) => {
    if (up.store) response.writeHead(200, { 'content-type': 'application/xml' }).end(EMPTY_BUCKET);
    else response.writeHead(403).end();
  });
  const kubeconfig = join(folder, 'kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    // Without the last word the client takes no plain HTTP.
    clusters: [{ name: 'c', cluster: { server: cluster.origin, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user: { token: 'a token of the cluster' } }],
  };
  await writeFile(kubeconfig, JSON.stringify(config));
  return {
    folder,
    cluster,
    store,
    up,
    env: {
      KUBECONFIG: kubeconfig,
      EXTERNAL_URL: 'https://sless.example.com',
      S3_BUCKET: 'code',
      S3_ENDPOINT: store.origin,
      S3_ACCESS_KEY: 'access',
      S3_SECRET_KEY: 'a secret of the store',
      JWKS_URL: 'http://127.0.0.1:1/jwks',
      UPLOAD_FOLDER: join(folder, 'uploads'),
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
