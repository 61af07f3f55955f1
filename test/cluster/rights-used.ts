import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { decodeJwt } from 'jose';
import { serverOf } from './api-server.ts';
import { certificateOf } from './guarded-registry.ts';

/** Stands before the API server and writes down which rights were used. Every request keeps the login that it came with. */
export interface RightsUsed {
  readonly host: string;
  readonly port: number;
  /** Of its certificate, PEM: what a pod has as `ca.crt`. */
  readonly ca: string;
  /** Such as `patch jobs.batch`, of this account (`namespace:name`); sorted. */
  of(account: string): readonly string[];
  close(): Promise<void>;
}

export async function recordRights(host: string, kubeconfig: string): Promise<RightsUsed> {
  const used = new Map<string, Set<string>>();
  const target = serverOf(kubeconfig);
  const agent = new Agent({ keepAlive: true, ca: target.ca });
  const { key, cert } = await certificateOf(host);
  const server = createServer({ key, cert }, (asked, answer) => {
    const right = rightOf(asked.method ?? 'GET', asked.url ?? '/');
    const account = accountOf(asked.headers.authorization);
    if (right !== undefined) used.set(account, (used.get(account) ?? new Set()).add(right));
    passOn(asked, answer, { url: target.url, agent });
  }).listen(0, host);
  await once(server, 'listening');
  return {
    host,
    port: (server.address() as AddressInfo).port,
    ca: cert,
    of: (account) => [...(used.get(account) ?? [])].sort(),
    close: async () => {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}

/** Whose token it is; nobody's where there is none. The API server checks it. */
function accountOf(authorization = ''): string {
  if (!authorization.startsWith('Bearer ')) return '';
  const { sub = '' } = decodeJwt(authorization.slice('Bearer '.length));
  return sub.replace('system:serviceaccount:', '');
}

/** The rights that rules of a ClusterRole give, in the same words. */
export function rightsIn(rules: readonly object[]): readonly string[] {
  const all = (rules as readonly Rule[]).flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.map((verb) => `${verb} ${named(resource, group)}`)),
    ),
  );
  return [...new Set(all)].sort();
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const named = (resource: string, group: string): string => (group === '' ? resource : `${resource}.${group}`);

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** As the API server itself reads a request; nothing for what is no object. */
function rightOf(method: string, path: string): string | undefined {
  const { pathname, searchParams } = new URL(path, 'https://server');
  const found =
    /^\/(?:api|apis\/([^/]+))\/v[^/]+\/(?:namespaces\/[^/]+\/(?=[^/]))?([^/]+)(?:\/([^/]+)(\/[^/]+)?)?$/.exec(
      pathname,
    );
  if (found === null) return undefined;
  const [, group = '', resource = '', name, subresource = ''] = found;
  const looks = name !== undefined ? 'get' : searchParams.get('watch') ? 'watch' : 'list';
  return `${VERBS[method] ?? looks} ${named(`${resource}${subresource}`, group)}`;
}

function passOn(
  asked: IncomingMessage,
  answer: ServerResponse,
  { url, agent }: { readonly url: string; readonly agent: Agent },
): void {
  const { host: _, ...headers } = asked.headers;
  const passing = request(`${url}${asked.url}`, { agent, method: asked.method, headers }, (told) => {
    answer.writeHead(told.statusCode ?? 502, told.headers);
    told.pipe(answer);
  });
  passing.on('error', () => answer.destroy());
  answer.on('close', () => passing.destroy());
  asked.pipe(passing);
}
