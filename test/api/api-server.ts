import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { openDirectoryStore } from '../../src/adapters/directory-store.ts';
import { createEmbeddedCluster, type EmbeddedCluster } from '../../src/adapters/embedded-cluster/cluster.ts';
import { createMemoryStore } from '../../src/adapters/embedded-cluster/state-store.ts';
import { createApi } from '../../src/gateway/api/app.ts';
import type { ApiApp, ApiDeps, ApiOptions } from '../../src/gateway/api/deps.ts';
import { createJwksAuthenticator } from '../../src/gateway/auth/jwks.ts';
import { fixedKeySet } from '../../src/gateway/auth/key-set.ts';
import { namespaceOf } from '../../src/gateway/auth/subject.ts';
import { receive, SERVER_OPTIONS } from '../../src/gateway/entrance/server.ts';
import { webListener } from '../../src/gateway/entrance/web-listener.ts';
import type { ObjectStore } from '../../src/ports/object-store.ts';
import { loadRuntimes } from '../../src/runtimes/catalogue.ts';
import { createContextPreparer } from '../../src/source/preparer.ts';
import { silentLogger } from '../contracts/silent-logger.ts';

const { publicKey, privateKey } = await generateKeyPair('ES256');
const jwk = { ...(await exportJWK(publicKey)), kid: 'test', alg: 'ES256' };

/** A token that the test's key set proves. */
export function tokenFor(sub: string, claims: Record<string, unknown> = {}): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + 3600;
  return new SignJWT({ sub, exp, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'test' })
    .sign(privateKey);
}

export interface ApiServer {
  readonly url: string;
  readonly port: number;
  readonly cluster: EmbeddedCluster;
  readonly store: ObjectStore;
  /** Names in the folder for temporary files. */
  leftovers(): Promise<string[]>;
  /** All keys of the object store. */
  keys(): Promise<string[]>;
  close(): Promise<void>;
}

interface Overrides {
  readonly deps?: (real: ApiDeps) => Partial<ApiDeps>;
  readonly options?: Partial<ApiOptions>;
  /** Takes all requests in the place of the api. */
  readonly front?: (api: ApiApp, deps: ApiDeps) => RequestListener;
}

/** The api on a real server, over the embedded cluster, a folder as object store and the real zip conversion. */
export async function startApi(overrides: Overrides = {}): Promise<ApiServer> {
  const folder = await mkdtemp(join(tmpdir(), 'sless-api-'));
  const temporaryFolder = await mkdtemp(join(folder, 'tmp-'));
  const cluster = createEmbeddedCluster({ store: createMemoryStore(), clock: Date, logger: silentLogger });
  const store = await openDirectoryStore({ folder: join(folder, 'store') });
  const preparer = createContextPreparer();
  const real: ApiDeps = {
    cluster,
    store,
    authenticator: createJwksAuthenticator({ keys: fixedKeySet({ keys: [jwk] }), clock: Date }),
    runtimes: loadRuntimes(resolve(import.meta.dirname, '../../runtimes')),
    preparer,
    clock: Date,
    newId: randomUUID,
    random: Math.random,
    logger: silentLogger,
  };
  const deps = { ...real, ...overrides.deps?.(real) };
  const app = createApi(deps, { bucket: 'sless', version: '0.0.0', temporaryFolder, ...overrides.options });
  const server = receive(createServer(SERVER_OPTIONS), {
    request: overrides.front?.(app, deps) ?? webListener(app),
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    cluster,
    store,
    leftovers: () => readdir(temporaryFolder),
    keys: async () => {
      const keys: string[] = [];
      for await (const { key } of store.list('')) keys.push(key);
      return keys;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await preparer.close();
      cluster.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON; `{ text }` for anything else. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Tenant {
  readonly namespace: string;
  readonly token: string;
  /** Asks `/v1/namespaces/{own}{path}`; a body that is no form is sent as JSON. */
  ask(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Uploads a zip in the field `code`. */
  upload(name: string, zip: Uint8Array, query?: string): Promise<Answer>;
}

/** A caller of the api with a namespace of its own, which is made unless `fresh`. */
export async function tenantOf(api: ApiServer, sub: string, { fresh = false } = {}): Promise<Tenant> {
  const token = await tokenFor(sub);
  const namespace = namespaceOf(sub);
  const ask: Tenant['ask'] = async (method, path, body) => {
    const isForm = body instanceof FormData;
    const response = await fetch(`${api.url}/v1/namespaces/${namespace}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : { text } };
  };
  const upload: Tenant['upload'] = (name, zip, query = '') => {
    const form = new FormData();
    form.set('code', new Blob([new Uint8Array(zip)]), 'code.zip');
    return ask('POST', `/functions/${name}/upload${query}`, form);
  };
  if (!fresh) await ask('POST', '/ensure');
  return { namespace, token, ask, upload };
}

/** Hex SHA-256, for tests that work out what the api should have. */
export const sha256 = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex');
