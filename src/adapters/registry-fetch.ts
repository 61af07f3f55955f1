import { rootCertificates } from 'node:tls';
import { Agent, fetch as undiciFetch } from 'undici';

interface RegistryTrust {
  /** Plain HTTP, or a certificate that nobody signed: whichever the registry speaks, as the tools that push know it. */
  readonly insecure: boolean;
  /** Certificates (PEM) beside those that the world knows. */
  readonly ca?: string;
}

/** A `fetch` for registries, and its end. */
export interface RegistryFetch {
  readonly fetch: typeof globalThis.fetch;
  close(): Promise<void>;
}

/**
 * Speaks to registries as the installation trusts them. Of an insecure one each host is tried by TLS first, once: a request
 * for `http://` goes there when it answers.
 */
export function createRegistryFetch({ insecure, ca }: RegistryTrust): RegistryFetch {
  const connect = insecure
    ? { rejectUnauthorized: false }
    : ca === undefined
      ? {}
      : { ca: [...rootCertificates, ca] };
  const dispatcher = new Agent({ connect });
  // undici's own types of requests differ in details from those that Node declares for the same code.
  const send = ((url: string | URL, init?: object) =>
    undiciFetch(url, { ...init, dispatcher })) as unknown as typeof globalThis.fetch;
  const speaksTls = new Map<string, Promise<boolean>>();
  const isTls = (host: string): Promise<boolean> => {
    const known = speaksTls.get(host) ?? probe(send, host);
    speaksTls.set(host, known);
    return known;
  };
  return {
    fetch: async (input, init) => {
      const url = new URL(String(input));
      if (insecure && url.protocol === 'http:' && (await isTls(url.host))) url.protocol = 'https:';
      return send(url, init);
    },
    close: () => dispatcher.close(),
  };
}

const PROBE_MS = 5000;

async function probe(send: typeof globalThis.fetch, host: string): Promise<boolean> {
  try {
    const response = await send(`https://${host}/v2/`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(PROBE_MS),
    });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
