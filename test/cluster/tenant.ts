import { randomBytes } from 'node:crypto';
import { namespaceOf } from '../../src/gateway/auth/subject.ts';
import { type Files, zipOf } from '../api/zips.ts';
import type { Issuer } from './issuer.ts';
import { kubectl } from './kubectl.ts';

/** What REST answered. */
export interface RestAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A user of an installation, who knows nothing but its two URLs and a token. */
export interface Tenant {
  readonly namespace: string;
  /** Good for an hour. */
  readonly token: string;
  /** `/v1/namespaces/{own}{path}`; fails unless the answer is 2xx. */
  call(method: string, path: string, body?: unknown): Promise<RestAnswer>;
  /** Uploads these files as a zip; the answer's `s3_key`. */
  upload(name: string, files: Files): Promise<string>;
  /** The function as REST shows it. */
  describe(name: string): Promise<RestAnswer['body']>;
  /** Calls a function of this tenant; the answer as it comes. */
  invoke(name: string, request?: RequestInit): Promise<Response>;
  /** Begins to delete the namespace with everything in it. */
  drop(): Promise<void>;
}

/** What a user knows of an installation. */
export interface Entrance {
  readonly api: { readonly url: string };
  readonly proxy: { readonly url: string };
  readonly issuer: Pick<Issuer, 'mint'>;
}

/** A user whom nobody has seen before, with a namespace. */
export async function createTenant({ api, proxy, issuer }: Entrance, kubeconfig: string): Promise<Tenant> {
  const subject = `user-${randomBytes(5).toString('hex')}`;
  const token = await issuer.mint(subject);
  const namespace = namespaceOf(subject);
  const call: Tenant['call'] = async (method, path, body) => {
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
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
  };
  await call('POST', '/ensure');
  return {
    namespace,
    token,
    call,
    upload: async (name, files) => {
      const form = new FormData();
      form.set('code', new Blob([new Uint8Array(zipOf(files))]), 'code.zip');
      return String((await call('POST', `/functions/${name}/upload`, form)).body.s3_key);
    },
    describe: async (name) => (await call('GET', `/functions/${name}`)).body,
    invoke: (name, request = {}) => fetch(`${proxy.url}/fn/${namespace}/${name}`, request),
    drop: async () => {
      await kubectl(kubeconfig).run(['delete', 'namespace', namespace, '--wait=false', '--ignore-not-found']);
    },
  };
}
