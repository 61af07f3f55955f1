import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { parse } from 'yaml';

/** A real API server, spoken to as plainly as can be, so that what a test sees is what the server said. */
export interface ApiServer {
  /** The answer of any request; `body` goes out as JSON unless it is text, and comes back parsed. */
  call(method: string, path: string, body?: unknown, contentType?: string): Promise<Answer>;
  close(): void;
}

export interface Answer {
  readonly status: number;
  // An API object or a Status; tests look into it as they need.
  readonly body: Record<string, unknown> & { readonly message?: string };
}

interface Named {
  readonly name: string;
}
interface Kubeconfig {
  readonly 'current-context': string;
  readonly contexts: readonly (Named & {
    readonly context: { readonly cluster: string; readonly user: string };
  })[];
  readonly clusters: readonly (Named & { readonly cluster: Readonly<Record<string, string | boolean>> })[];
  readonly users: readonly (Named & { readonly user: Readonly<Record<string, string>> })[];
}

/** The API server of KUBECONFIG; `undefined` when there is none, which tests say aloud before they skip. */
export function apiServer(path = process.env.KUBECONFIG): ApiServer | undefined {
  if (path === undefined || path === '') return undefined;
  const { cluster, user } = chosen(path);
  const agent = new Agent({
    keepAlive: true,
    ca: pem(cluster, 'certificate-authority'),
    cert: pem(user, 'client-certificate'),
    key: pem(user, 'client-key'),
    rejectUnauthorized: cluster['insecure-skip-tls-verify'] !== true,
  });
  const headers = user.token === undefined ? {} : { authorization: `Bearer ${user.token}` };
  return {
    call: (method, target, body, contentType = 'application/json') =>
      send({
        url: `${cluster.server}${target}`,
        method,
        agent,
        body,
        headers: { ...headers, 'content-type': contentType },
      }),
    close: () => agent.destroy(),
  };
}

/** Where the API server is, and what signs its certificate: for who brings a login of his own. */
export function serverOf(path: string): { readonly url: string; readonly ca: Buffer | undefined } {
  const { cluster } = chosen(path);
  return { url: String(cluster.server), ca: pem(cluster, 'certificate-authority') };
}

/** The cluster and user that a kubeconfig's current context names. */
function chosen(path: string) {
  const config = parse(readFileSync(path, 'utf8')) as Kubeconfig;
  const context = config.contexts.find(({ name }) => name === config['current-context'])?.context;
  const cluster = config.clusters.find(({ name }) => name === context?.cluster)?.cluster ?? {};
  const user = config.users.find(({ name }) => name === context?.user)?.user ?? {};
  return { cluster, user };
}

/** A PEM file of a kubeconfig: inline as `<name>-data`, or by its path. */
function pem(from: Readonly<Record<string, unknown>>, name: string): Buffer | undefined {
  const data = from[`${name}-data`];
  const path = from[name];
  if (typeof data === 'string') return Buffer.from(data, 'base64');
  return typeof path === 'string' ? readFileSync(path) : undefined;
}

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

async function send({ url, method, agent, headers, body }: Sent): Promise<Answer> {
  const payload = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, body: parsed(text) });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
}

/** The server says some of its errors, such as for a group that it does not serve yet, in plain text. */
function parsed(text: string): Answer['body'] {
  try {
    return JSON.parse(text);
  } catch {
    return { message: text };
  }
}
