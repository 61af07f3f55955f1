/** What can be configured of the proxy. Everything but the two hosts has a default. */
export interface ProxyOptions {
  /** `FN_HOST`: the only host that answers `/fn`, and answers nothing else. */
  readonly host?: string | undefined;
  /** `FN_DOMAIN`: functions answer at `{name}--{namespace}.{domain}` too. */
  readonly domain?: string | undefined;
  /** `FN_MAX_BODY`: the largest request body in bytes. */
  readonly maxBody?: number | undefined;
  /** Addresses and CIDR blocks whose `X-Forwarded-*`, `Forwarded` and `X-Request-Id` are believed. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Calls in flight of one function, whatever its pods could take. Without it: its concurrency × its ready pods. */
  readonly maxInFlightPerFunction?: number | undefined;
  /** Calls in flight of all functions of one namespace. */
  readonly maxInFlightPerTenant?: number | undefined;
  /** Calls a second of one function; any number, where it is absent. */
  readonly ratePerFunction?: number | undefined;
  /** Milliseconds until a pod that does not answer a connection attempt is given up. */
  readonly connectTimeoutMs?: number | undefined;
  /** Milliseconds after which an idle connection to a pod is closed. */
  readonly idleTimeoutMs?: number | undefined;
  /** Milliseconds of silence from a caller that still owes parts of its body. */
  readonly bodyIdleMs?: number | undefined;
  /** Milliseconds that `close()` leaves to what is in flight. */
  readonly drainMs?: number | undefined;
  /** Whether each request is one line of the log. */
  readonly accessLog?: boolean | undefined;
}

export interface ProxySettings {
  readonly host: string | undefined;
  readonly domain: string | undefined;
  readonly maxBody: number;
  readonly trustedProxies: readonly string[];
  readonly maxInFlightPerFunction: number | undefined;
  readonly maxInFlightPerTenant: number;
  readonly ratePerFunction: number | undefined;
  readonly connectTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly bodyIdleMs: number;
  readonly drainMs: number;
  readonly accessLog: boolean;
}

/** The options with their defaults. */
export function settingsOf(options: ProxyOptions): ProxySettings {
  return {
    host: options.host,
    domain: options.domain,
    maxBody: options.maxBody ?? 128 * 1024 * 1024,
    trustedProxies: options.trustedProxies ?? [],
    maxInFlightPerFunction: options.maxInFlightPerFunction,
    // Ten busy pods at the default concurrency of 100, twice.
    maxInFlightPerTenant: options.maxInFlightPerTenant ?? 2000,
    ratePerFunction: options.ratePerFunction,
    // A pod network answers within milliseconds; two seconds survive one lost SYN (sent again after one).
    connectTimeoutMs: options.connectTimeoutMs ?? 2000,
    // Less than half of the 65 s that the runtimes keep theirs.
    idleTimeoutMs: options.idleTimeoutMs ?? 30_000,
    bodyIdleMs: options.bodyIdleMs ?? 30_000,
    // Within the 30 s that Kubernetes leaves a pod, with some for the rest of the process.
    drainMs: options.drainMs ?? 25_000,
    accessLog: options.accessLog ?? false,
  };
}
