import { readFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import { delimiter, dirname } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import type { Access, AccessSource, TlsMaterial } from './access.ts';

interface KubeconfigOptions {
  /** One file, or several joined as in `KUBECONFIG`: the first that defines a name wins. */
  readonly path: string;
  /** Another context than the current one. */
  readonly context?: string;
}

/**
 * The credentials of a kubeconfig file: tokens, client certificates, passwords, exec plugins, OIDC. For processes
 * outside of the cluster. The files are read again each time, the plugins are asked again when what they gave expired.
 */
export function kubeconfig({ path, context }: KubeconfigOptions): AccessSource {
  const files = path.split(delimiter).filter((file) => file !== '');
  let loaded: { readonly texts: string; readonly config: KubeConfig } | undefined;
  return async () => {
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    const joined = texts.join('\0');
    if (loaded?.texts !== joined) loaded = { texts: joined, config: await parse(files, texts) };
    if (context !== undefined) loaded.config.setCurrentContext(context);
    return accessOf(loaded.config);
  };
}

async function parse(files: readonly string[], texts: readonly string[]): Promise<KubeConfig> {
  // Loaded on demand: the package costs 90 MB and 0.4 s, which no process in a pod should pay.
  const { KubeConfig } = await import('@kubernetes/client-node');
  const configs = texts.map((text, index) => {
    const file = files[index] ?? '';
    const config = new KubeConfig();
    try {
      config.loadFromString(text);
    } catch (error) {
      throw new Error(`${file} is not a usable kubeconfig`, { cause: error });
    }
    config.makePathsAbsolute(dirname(file));
    return config;
  });
  const merged = new KubeConfig();
  merged.loadFromOptions({
    clusters: firstOfEachName(configs.flatMap((config) => config.clusters)),
    users: firstOfEachName(configs.flatMap((config) => config.users)),
    contexts: firstOfEachName(configs.flatMap((config) => config.contexts)),
    currentContext: configs.map((config) => config.currentContext).find((name) => name),
  });
  return merged;
}

function firstOfEachName<T extends { readonly name: string }>(entries: readonly T[]): T[] {
  return [...Map.groupBy(entries, (entry) => entry.name).values()].flatMap((same) => same.slice(0, 1));
}

async function accessOf(config: KubeConfig): Promise<Access> {
  const cluster = config.getCurrentCluster();
  if (cluster === null)
    throw new Error(`the kubeconfig has no cluster for its context "${config.currentContext}"`);
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  const basic = options.auth
    ? { authorization: `Basic ${Buffer.from(options.auth).toString('base64')}` }
    : {};
  return {
    server: cluster.server,
    tls: tlsOf(options),
    headers: { ...headersOf(options), ...basic },
    ...(cluster.proxyUrl ? { proxyUrl: cluster.proxyUrl } : {}),
  };
}

function tlsOf(options: RequestOptions): TlsMaterial {
  const { ca, cert, key, servername, rejectUnauthorized } = options;
  return {
    ...(ca ? { ca: String(ca) } : {}),
    ...(cert ? { cert: String(cert) } : {}),
    ...(key ? { key: String(key) } : {}),
    ...(servername ? { servername } : {}),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
  };
}

function headersOf(options: RequestOptions): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
}
