import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '../../src/resources/kube/object.ts';
import { answer, type ScriptedServer, startScripted } from '../api-server/scripted.ts';

/** What a role finds around it: an API server of an empty cluster, and an object store with an empty bucket. */
export interface Surroundings {
  readonly folder: string;
  readonly cluster: ScriptedServer;
  readonly store: ScriptedServer;
  /** Whether they answer. */
  readonly up: { cluster: boolean; store: boolean };
  /** What the cluster holds: lists and single objects, by the last part of their path, such as `functions`. */
  readonly objects: Record<string, KubeObject | readonly KubeObject[]>;
  /** Called before the cluster answers; it does so when `go` is called. */
  hold: (path: string, go: () => void) => void;
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const EMPTY_BUCKET =
  '<?xml version="1.0"?><ListBucketResult><Name>code</Name><KeyCount>0</KeyCount></ListBucketResult>';

export async function openSurroundings(): Promise<Surroundings> {
  const folder = await mkdtemp(join(tmpdir(), 'sless-roles-'));
  const up = { cluster: true, store: true };
  const objects: Surroundings['objects'] = {};
  const gate: Pick<Surroundings, 'hold'> = { hold: (_path, go) => go() };
  const cluster = await startScripted(({ path, query }, response) => {
    if (!up.cluster) return void response.writeHead(503).end();
    if (query.get('watch') === 'true') return void response.writeHead(200).flushHeaders();
    const found = objects[path.split('/').at(-1) ?? ''] ?? [];
    const body = Array.isArray(found) ? { metadata: { resourceVersion: '1' }, items: found } : found;
    gate.hold(path, () => answer(response, body));
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
  return Object.assign(gate, {
    folder,
    cluster,
    store,
    up,
    objects,
    env: {
      KUBECONFIG: kubeconfig,
      EXTERNAL_URL: 'https://sless.example.com',
      S3_BUCKET: 'code',
      S3_ENDPOINT: store.origin,
      S3_ACCESS_KEY: 'access',
      S3_SECRET_KEY: 'a secret of the store',
      JWKS_URL: 'http://127.0.0.1:1/jwks',
      UPLOAD_FOLDER: join(folder, 'uploads'),
      DRAIN_DELAY: '0s',
    },
    close: () => rm(folder, { recursive: true, force: true }),
  });
}
