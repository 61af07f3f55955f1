import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { AccessSource } from './access.ts';

/** Where Kubernetes puts a pod's own credentials. */
export const SERVICE_ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

interface InClusterOptions {
  /** `KUBERNETES_SERVICE_HOST` */
  readonly host: string;
  /** `KUBERNETES_SERVICE_PORT` */
  readonly port: string;
  /** The folder with `token` and `ca.crt`. */
  readonly folder?: string;
}

/** The credentials of the pod's service account. Both files are replaced while the pod lives. */
export function inCluster({ host, port, folder = SERVICE_ACCOUNT_FOLDER }: InClusterOptions): AccessSource {
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  return async () => {
    const [token, ca] = await Promise.all([
      readFile(join(folder, 'token'), 'utf8'),
      readFile(join(folder, 'ca.crt'), 'utf8'),
    ]);
    return { server, tls: { ca }, headers: { authorization: `Bearer ${token.trim()}` } };
  };
}
