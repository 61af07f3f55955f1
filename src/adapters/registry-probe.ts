/** A registry as it stands in an image's name, and how it is spoken to. */
export interface ProbedRegistry {
  /** Host, maybe a port, maybe a path. */
  readonly registry: string;
  /** Plain HTTP. */
  readonly insecure: boolean;
}

const TIMEOUT_MS = 5_000;
/** Nothing is ever put there: an upload is begun and taken back. */
const REPOSITORY = 'sless/anonymous-push-probe';

/**
 * Whether anyone may push to a registry: an upload is begun without a login (POST of the distribution spec, 202 when it
 * may go on) and cancelled. `undefined` when the registry does not say.
 */
export async function acceptsAnonymousPush(
  fetch: typeof globalThis.fetch,
  { registry, insecure }: ProbedRegistry,
): Promise<boolean | undefined> {
  const [host = '', ...path] = registry.split('/');
  const origin = `${insecure ? 'http' : 'https'}://${host}`;
  const url = `${origin}/v2/${[...path, REPOSITORY].join('/')}/blobs/uploads/`;
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { method: 'POST', redirect: 'manual', signal });
    await response.body?.cancel();
    if (response.status === 401 || response.status === 403) return false;
    if (response.status !== 202) return undefined;
    await cancel(fetch, new URL(response.headers.get('location') ?? '', url), origin);
    return true;
  } catch {
    return undefined;
  }
}

/** What is left behind otherwise, registries throw away after some days. */
async function cancel(fetch: typeof globalThis.fetch, upload: URL, origin: string): Promise<void> {
  if (upload.origin !== origin) return;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  await fetch(upload, { method: 'DELETE', redirect: 'manual', signal })
    .then((response) => response.body?.cancel())
    .catch(() => undefined);
}
