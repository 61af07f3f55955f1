import { SlessError } from '../errors.ts';

/** A login as docker's configuration files hold it. */
export interface RegistryCredentials {
  readonly username: string;
  readonly password: string;
}

interface AccessOptions {
  readonly insecure: boolean;
  readonly credentials?: (host: string) => Promise<RegistryCredentials | undefined>;
}

/** One request about a repository. */
export interface RegistryRequest {
  /** With the host first. */
  readonly repository: string;
  /** Below `/v2/{repository}/`. */
  readonly path: string;
  readonly method?: 'GET' | 'HEAD' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  /** The statuses that the caller has an answer to; everything else is an error. */
  readonly accept: readonly number[];
}

const TIMEOUT_MS = 15_000;

/**
 * Sends requests to registries and logs in where one asks for it: Basic, or a token from the realm that it names
 * (`WWW-Authenticate: Bearer`, as the distribution project's token authentication describes it).
 */
export function registryRequest(
  fetch: typeof globalThis.fetch,
  options: AccessOptions,
): (request: RegistryRequest) => Promise<Response> {
  const logins = new Map<string, string>();
  return async (request) => {
    const { repository, path, method = 'GET', headers = {}, accept } = request;
    const slash = repository.indexOf('/');
    const host = repository.slice(0, slash);
    const url = `${options.insecure ? 'http' : 'https'}://${host}/v2/${repository.slice(slash + 1)}/${path}`;
    // A token for pulling is none for deleting.
    const scope = `${repository} ${method === 'DELETE'}`;
    const send = (): Promise<Response> =>
      ask(fetch, url, { method, headers: { ...headers, ...authorization(logins.get(scope)) } });
    let response = await send();
    if (response.status === 401) {
      logins.set(
        scope,
        await login({ fetch, options, host }, response.headers.get('www-authenticate') ?? ''),
      );
      response = await send();
    }
    if (!accept.includes(response.status)) throw await refusal(response, repository);
    return response;
  };
}

const authorization = (login: string | undefined): Record<string, string> =>
  login === undefined ? {} : { authorization: login };

async function ask(fetch: typeof globalThis.fetch, url: string | URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    throw new SlessError('Unavailable', `the registry at ${new URL(url).host} cannot be reached`, {
      cause: error,
    });
  }
}

interface Login {
  readonly fetch: typeof globalThis.fetch;
  readonly options: AccessOptions;
  readonly host: string;
}

/** The value of `Authorization` that answers a challenge. */
async function login({ fetch, options, host }: Login, challenge: string): Promise<string> {
  const known = await options.credentials?.(host);
  const basic = known && `Basic ${Buffer.from(`${known.username}:${known.password}`).toString('base64')}`;
  if (/^basic\b/i.test(challenge) && basic !== undefined) return basic;
  const realm = parameter(challenge, 'realm');
  if (!/^bearer\b/i.test(challenge) || realm === undefined)
    throw new SlessError(
      'RegistryRefused',
      `the registry at ${host} wants a login, and there is none for it`,
    );
  const url = new URL(realm);
  if (url.protocol !== 'https:' && !options.insecure)
    throw new SlessError(
      'RegistryRefused',
      `the registry at ${host} wants the password sent to ${url.origin}, unencrypted`,
    );
  for (const name of ['service', 'scope']) {
    const value = parameter(challenge, name);
    if (value !== undefined) url.searchParams.set(name, value);
  }
  const response = await ask(fetch, url, { headers: authorization(basic) });
  if (!response.ok) throw await refusal(response, host);
  const { token, access_token } = (await response.json()) as {
    readonly token?: string;
    readonly access_token?: string;
  };
  return `Bearer ${token ?? access_token ?? ''}`;
}

function parameter(challenge: string, name: string): string | undefined {
  return new RegExp(`[\\s,]${name}="([^"]*)"`, 'i').exec(challenge)?.[1];
}

async function refusal(response: Response, about: string): Promise<SlessError> {
  await response.body?.cancel();
  const { status } = response;
  if (status === 401 || status === 403)
    return new SlessError('RegistryRefused', `the registry refuses the login for ${about} (HTTP ${status})`);
  return new SlessError('Unavailable', `the registry answers HTTP ${status} for ${about}`);
}
