/** What TLS needs to know, as `node:tls` names it. */
export interface TlsMaterial {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** Where the API server is and what it must be shown. */
export interface Access {
  /** Origin, with the path prefix that some front ends have, without a slash at the end. */
  readonly server: string;
  readonly tls: TlsMaterial;
  /** Credentials and impersonation, by lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** An HTTP proxy on the way. */
  readonly proxyUrl?: string;
}

/** Reads what the API server must be shown, again whenever it is called. Fails with an Error that names the file. */
export type AccessSource = () => Promise<Access>;

interface Kept {
  readonly access: Access;
  readonly readAt: number;
}

/**
 * How long a source is believed. Tokens in a pod are renewed after 80 % of their life (an hour at the shortest in
 * practice), so any value far below ten minutes will do; a few seconds spare reading files for every request.
 */
const FRESH_MS = 10_000;

/**
 * Keeps what a source says for some seconds. While the source fails, what it said last is still used: files that are
 * being replaced may be missing for a moment.
 */
export function keepAccess(
  source: AccessSource,
  now: () => number,
): (afterRefusal?: boolean) => Promise<Access> {
  let kept: Kept | undefined;
  return async (afterRefusal = false) => {
    if (kept !== undefined && !afterRefusal && now() - kept.readAt < FRESH_MS) return kept.access;
    try {
      kept = { access: await source(), readAt: now() };
    } catch (error) {
      if (kept === undefined) throw error;
      kept = { ...kept, readAt: now() };
    }
    return kept.access;
  };
}
