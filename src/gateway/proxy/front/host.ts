/** The host of a `Host` value in lower case, without its port and a final dot. */
export function hostName(value: string): string {
  const bracket = value.indexOf(']');
  const colon = value.indexOf(':', bracket + 1);
  const host = (colon < 0 ? value : value.slice(0, colon)).toLowerCase();
  return host.endsWith('.') ? host.slice(0, -1) : host;
}

/**
 * The key `namespace/name` of a host `{name}--{namespace}.{domain}`; `''` for another host of that domain, which no
 * function has; `undefined` for hosts elsewhere. A function's name has no `--`, so the first one divides.
 */
export function functionOfHost(host: string, domain: string): string | undefined {
  if (host.length <= domain.length || !host.endsWith(domain)) return undefined;
  const dot = host.length - domain.length - 1;
  if (host[dot] !== '.') return undefined;
  const label = host.slice(0, dot);
  const divide = label.indexOf('--');
  if (divide < 1 || label.includes('.')) return '';
  return `${label.slice(divide + 2)}/${label.slice(0, divide)}`;
}
