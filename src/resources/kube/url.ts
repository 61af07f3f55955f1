/** Where functions are reached from outside. */
export interface UrlSettings {
  /** Root of the installation without a slash at its end, such as `https://sless.example.com`. */
  readonly externalUrl: string;
  /** A host of their own for functions: `https://{fnHost}/fn/{namespace}/{name}`. */
  readonly fnHost?: string;
  /** Root of their addresses where it is neither of these, such as `http://localhost:8081`. */
  readonly fnUrl?: string;
  /** A wildcard domain for functions: `https://{name}--{namespace}.{fnDomain}`. Stronger than `fnHost`. */
  readonly fnDomain?: string;
}

/** A label of a host name has at most 63 characters (RFC 1035). */
const MAX_HOST_LABEL = 63;

/** The first label of a function's own host under a wildcard domain; `undefined` where it would be too long for DNS. */
export function functionHostLabel(namespace: string, name: string): string | undefined {
  const label = `${name}--${namespace}`;
  return label.length <= MAX_HOST_LABEL ? label : undefined;
}

/** The public address of a function, without a slash at its end. */
export function functionUrl(settings: UrlSettings, namespace: string, name: string): string {
  const label = functionHostLabel(namespace, name);
  if (settings.fnDomain !== undefined && label !== undefined) return `https://${label}.${settings.fnDomain}`;
  const { externalUrl, fnHost, fnUrl = fnHost === undefined ? externalUrl : `https://${fnHost}` } = settings;
  return `${fnUrl}/fn/${namespace}/${name}`;
}
